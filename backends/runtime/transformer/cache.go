package transformer

import "infnet/backends/runtime/kernel"

// Cache holds the keys and values of one sequence, of all layers or of the one at hand. Keys lie as the kernel
// wants them for scores (panels of kernel.Width positions, each HeadDim rows), values as it wants
// them for sums (panels of kernel.Width channels, each one row per position).
type Cache struct {
	net    *Network
	layers int
	rows   int // room, in positions; a multiple of kernel.Width
	buffer []float32
}

// NewCache returns a cache of some positions for all layers.
func (n *Network) NewCache(positions int) *Cache {
	memory := make([]float32, n.CacheSize(positions))
	return n.PlaceCache(positions, &memory)
}

// PlaceCache takes a cache of all layers from the start of memory, whose content is lost.
func (n *Network) PlaceCache(positions int, memory *[]float32) *Cache {
	return n.place(len(n.layers), positions, memory)
}

func (n *Network) place(layers, positions int, memory *[]float32) *Cache {
	size := layers * n.layerSize(positions)
	c := &Cache{n, layers, kernel.Round(positions), (*memory)[:size:size]}
	*memory = (*memory)[size:]
	return c
}

// CacheSize is the number of floats that some positions take in all layers.
func (n *Network) CacheSize(positions int) int { return len(n.layers) * n.layerSize(positions) }

func (n *Network) layerSize(positions int) int {
	return kernel.Round(positions) * n.Shape.KVHeads * (n.Shape.HeadDim + n.headPad)
}

// block is the keys of a head, then its values.
func (c *Cache) block(layer, head int) []float32 {
	size := (c.net.Shape.HeadDim + c.net.headPad) * c.rows
	return c.buffer[(layer%c.layers*c.net.Shape.KVHeads+head)*size:][:size]
}

func (c *Cache) keys(layer, head int) []float32 {
	return c.block(layer, head)[:c.net.Shape.HeadDim*c.rows]
}

func (c *Cache) values(layer, head int) []float32 {
	return c.block(layer, head)[c.net.Shape.HeadDim*c.rows:]
}

func (c *Cache) put(layer, head, pos int, key, value []float32) {
	dim := c.net.Shape.HeadDim
	k := c.keys(layer, head)[pos/kernel.Width*dim*kernel.Width+pos%kernel.Width:]
	for i, v := range key[:dim] {
		k[i*kernel.Width] = v
	}
	v := c.values(layer, head)
	for p := 0; p < c.net.headPad; p += kernel.Width {
		copy(v[p*c.rows+pos*kernel.Width:], value[p:p+kernel.Width])
	}
}

// CopyFrom takes over the first n positions of another cache.
func (c *Cache) CopyFrom(from *Cache, n int) {
	if n == 0 {
		return
	}
	dim := c.net.Shape.HeadDim
	for l := range c.layers {
		for h := range c.net.Shape.KVHeads {
			copy(c.keys(l, h), from.keys(l, h)[:kernel.Round(n)*dim])
			to, values := c.values(l, h), from.values(l, h)
			for p := 0; p < c.net.headPad; p += kernel.Width {
				copy(to[p*c.rows:], values[p*from.rows:p*from.rows+n*kernel.Width])
			}
		}
	}
}
