package seed

import "math/bits"

// NumPy draws the uniforms of numpy.random.default_rng(seed).random(), bit for
// bit, so that the published random baseline can be reproduced:
//
//	value = (next 64 bits >> 11) · 2⁻⁵³
//
// The generator is PCG64 (XSL-RR 128/64) seeded through SeedSequence.
// Melissa O'Neill (2014), PCG; Robert Kern, NumPy enhancement proposal 19.
type NumPy struct {
	hi, lo       uint64 // state
	incHi, incLo uint64
}

// NewNumPy returns the generator default_rng(seed).
func NewNumPy(seed uint64) *NumPy {
	w := seedSequence(seed)
	g := &NumPy{incHi: w[2]<<1 | w[3]>>63, incLo: w[3]<<1 | 1}
	g.step()
	var carry uint64
	g.lo, carry = bits.Add64(g.lo, w[1], 0)
	g.hi, _ = bits.Add64(g.hi, w[0], carry)
	g.step()
	return g
}

// step advances the 128-bit linear congruential state.
func (g *NumPy) step() {
	const mulHi, mulLo = 0x2360ed051fc65da4, 0x4385df649fccf645
	hi, lo := bits.Mul64(g.lo, mulLo)
	hi += g.hi*mulLo + g.lo*mulHi
	var carry uint64
	g.lo, carry = bits.Add64(lo, g.incLo, 0)
	g.hi, _ = bits.Add64(hi, g.incHi, carry)
}

// next returns the generator's next 64 bits.
func (g *NumPy) next() uint64 {
	g.step()
	return bits.RotateLeft64(g.hi^g.lo, -int(g.hi>>58))
}

// Float64 returns the next uniform in [0,1).
func (g *NumPy) Float64() float64 { return float64(g.next()>>11) * 0x1p-53 }

// Uint64 makes NumPy a math/rand/v2 Source. NumPy's uniforms are the upper 53
// of 64 bits and math/rand/v2's the lower 53, so it returns the next 64 bits
// rotated by 11: rand.New(g).Float64() draws what g.Float64() draws.
func (g *NumPy) Uint64() uint64 { return bits.RotateLeft64(g.next(), -11) }

// seedSequence expands a seed to 256 bits as numpy.random.SeedSequence(seed)
// .generate_state(4, uint64) does: hash the entropy into a pool of four 32-bit
// words, mix every word into every other, then hash the pool out.
func seedSequence(seed uint64) [4]uint64 {
	const (
		initA, multA = 0x43b0d7e5, 0x931e8875
		initB, multB = 0x8b51f9dd, 0x58f38ded
		mixL, mixR   = 0xca01f9dd, 0x4973f715
	)
	a := uint32(initA)
	hash := func(v uint32) uint32 {
		v ^= a
		a *= multA
		v *= a
		return v ^ v>>16
	}
	pool := [4]uint32{uint32(seed), uint32(seed >> 32)}
	for i := range pool {
		pool[i] = hash(pool[i])
	}
	for src := range pool {
		for dst := range pool {
			if src != dst {
				v := mixL*pool[dst] - mixR*hash(pool[src])
				pool[dst] = v ^ v>>16
			}
		}
	}
	var out [4]uint64
	b := uint32(initB)
	for i := range 8 {
		v := pool[i%4] ^ b
		b *= multB
		v *= b
		v ^= v >> 16
		out[i/2] |= uint64(v) << (32 * (i % 2))
	}
	return out
}
