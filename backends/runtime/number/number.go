// Package number owns the formats in which checkpoints store numbers: float32 and the two of 16 bits,
// bfloat16 and IEEE 754 binary16. Widening is exact; narrowing rounds to nearest, ties to even.
//
// It refuses to compute with them.
package number

import "math"

// Format is how a number is stored.
type Format uint8

const (
	Float32  Format = iota
	BFloat16        // the upper half of a float32
	Float16         // IEEE 754 binary16
)

// Bytes is the size of a number.
func (f Format) Bytes() int {
	if f == Float32 {
		return 4
	}
	return 2
}

// Widen returns a number of 16 bits as float32.
func (f Format) Widen(h uint16) float32 {
	if f == BFloat16 {
		return math.Float32frombits(uint32(h) << 16)
	}
	return fromHalf(h)
}

// Narrow rounds a float32 to 16 bits.
func (f Format) Narrow(v float32) uint16 {
	if f == BFloat16 {
		return toBrain(v)
	}
	return toHalf(v)
}

// Slice is numbers as they are stored.
type Slice struct {
	Format Format
	Wide   []float32 // Float32
	Halves []uint16  // the others
}

// Make returns n zeros.
func Make(f Format, n int) Slice {
	if f == Float32 {
		return Slice{Format: f, Wide: make([]float32, n)}
	}
	return Slice{Format: f, Halves: make([]uint16, n)}
}

func (s Slice) Len() int { return len(s.Wide) + len(s.Halves) }

// Sub returns those from..to.
func (s Slice) Sub(from, to int) Slice {
	if s.Format == Float32 {
		s.Wide = s.Wide[from:to]
	} else {
		s.Halves = s.Halves[from:to]
	}
	return s
}

// Copy writes the first numbers as float32, as many as fit, and returns how many.
func (s Slice) Copy(dst []float32) int {
	if s.Format == Float32 {
		return copy(dst, s.Wide)
	}
	n := min(len(dst), len(s.Halves))
	for i, h := range s.Halves[:n] {
		dst[i] = s.Format.Widen(h)
	}
	return n
}

// fromHalf widens an IEEE 754 binary16.
func fromHalf(h uint16) float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&1023
	switch exp {
	case 0: // zero and subnormal: frac·2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(frac)*0x1p-24))
	case 31:
		return math.Float32frombits(sign | 255<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// toHalf rounds to an IEEE 754 binary16; what is too large becomes infinite.
func toHalf(v float32) uint16 {
	b := math.Float32bits(v)
	sign, abs := uint16(b>>16)&0x8000, b&0x7fffffff
	switch {
	case abs > 255<<23: // not a number
		return sign | 0x7e00
	case abs >= 0x477ff000: // 65520 and more round to infinity
		return sign | 0x7c00
	case abs < 0x38800000: // below 2^-14: a multiple of 2^-24
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(abs))*0x1p24))
	}
	abs += 0xfff + abs>>13&1
	return sign | uint16(abs>>13-112<<10)
}

// toBrain rounds to a bfloat16.
func toBrain(v float32) uint16 {
	b := math.Float32bits(v)
	if b&0x7fffffff > 255<<23 {
		return uint16(b>>16) | 64
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}
