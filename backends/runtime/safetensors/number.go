package safetensors

import (
	"encoding/binary"
	"math"
)

// decode turns stored numbers into float32, exactly.
func decode(t DType, raw []byte) []float32 {
	switch t {
	case F32:
		out := make([]float32, len(raw)/4)
		for i := range out {
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		return out
	case BF16:
		out := make([]float32, len(raw)/2)
		for i := range out {
			out[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(raw[2*i:])) << 16)
		}
		return out
	}
	out := make([]float32, len(raw)/2)
	for i := range out {
		out[i] = fromHalf(binary.LittleEndian.Uint16(raw[2*i:]))
	}
	return out
}

// encode appends numbers in a stored type, rounding to nearest, ties to even.
func encode(out []byte, t DType, data []float32) []byte {
	for _, v := range data {
		switch t {
		case F32:
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		case BF16:
			out = binary.LittleEndian.AppendUint16(out, toBrain(v))
		default:
			out = binary.LittleEndian.AppendUint16(out, toHalf(v))
		}
	}
	return out
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
