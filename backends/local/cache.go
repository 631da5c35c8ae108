package local

import "infnet/backends/runtime/kernel"

// cache holds the keys and values of one sequence, all layers. Keys lie as the
// kernel wants them for scores (panels of kernel.Width positions, each headDim
// rows), values as it wants them for sums (panels of kernel.Width channels,
// each one row per position).
type cache struct {
	net    *network
	rows   int // room, in positions; a multiple of kernel.Width
	buffer []float32
}

// newCache returns a cache of n positions in memory of its own.
func newCache(net *network, n int) *cache {
	c := &cache{}
	c.place(net, n, make([]float32, cacheSize(net, n)))
	return c
}

// place puts a cache of n positions at the start of memory and returns the rest. The previous
// content of memory is lost.
func (c *cache) place(net *network, n int, memory []float32) []float32 {
	size := cacheSize(net, n)
	c.net, c.rows, c.buffer = net, kernel.Round(n), memory[:size:size]
	return memory[size:]
}

// cacheSize is the number of floats n positions take.
func cacheSize(net *network, n int) int { return kernel.Round(n) * cacheWidth(net) }

// cacheWidth is the number of floats a position takes.
func cacheWidth(net *network) int {
	return net.shape.Layers * net.shape.KVHeads * (net.shape.HeadDim + net.headPad)
}

func (c *cache) block(layer, head int) int {
	return (layer*c.net.shape.KVHeads + head) * (c.net.shape.HeadDim + c.net.headPad) * c.rows
}

// keys returns the key panels of a head.
func (c *cache) keys(layer, head int) []float32 {
	at := c.block(layer, head)
	return c.buffer[at : at+c.net.shape.HeadDim*c.rows]
}

// values returns the value panels of a head.
func (c *cache) values(layer, head int) []float32 {
	at := c.block(layer, head) + c.net.shape.HeadDim*c.rows
	return c.buffer[at : at+c.net.headPad*c.rows]
}

// put stores one position's key and value.
func (c *cache) put(layer, head, pos int, key, value []float32) {
	dim := c.net.shape.HeadDim
	k := c.keys(layer, head)[pos/kernel.Width*dim*kernel.Width+pos%kernel.Width:]
	for i, v := range key[:dim] {
		k[i*kernel.Width] = v
	}
	v := c.values(layer, head)
	for p := 0; p < c.net.headPad; p += kernel.Width {
		copy(v[p*c.rows+pos*kernel.Width:], value[p:p+kernel.Width])
	}
}

// copyFrom takes over the first n positions of another cache.
func (c *cache) copyFrom(from *cache, n int) {
	if n == 0 {
		return
	}
	dim := c.net.shape.HeadDim
	for l := range c.net.shape.Layers {
		for h := range c.net.shape.KVHeads {
			copy(c.keys(l, h), from.keys(l, h)[:kernel.Round(n)*dim])
			to, values := c.values(l, h), from.values(l, h)
			for p := 0; p < c.net.headPad; p += kernel.Width {
				copy(to[p*c.rows:], values[p*from.rows:p*from.rows+n*kernel.Width])
			}
		}
	}
}
