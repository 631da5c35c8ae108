// Package seed turns the one seed of a study into named, independent random
// streams; it also has numpy's generator, for the published random baseline.
// It refuses to hand out an unnamed stream. Its opinion: nothing else makes
// randomness, and since every stream has a name, adding one never shifts the
// draws of another.
package seed

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Stream returns the random stream with this name.
func Stream(seed uint64, name ...string) *rand.Rand {
	h := digest(seed, name)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(h[:8]), binary.LittleEndian.Uint64(h[8:16])))
}

// Hash returns 64 bits that depend on the seed and the names alone.
func Hash(seed uint64, name ...string) uint64 {
	h := digest(seed, name)
	return binary.LittleEndian.Uint64(h[:8])
}

// Uniform returns a number in [0,1) that depends on the seed and the names
// alone: the coin of one record.
func Uniform(seed uint64, name ...string) float64 {
	return float64(Hash(seed, name...)>>11) * 0x1p-53
}

// Hasher is Hash of many names that begin alike: it returns Hash of those names and one more. It is for one goroutine.
func Hasher(seed uint64, name ...string) func(last string) uint64 {
	begin := written(nil, seed, name)
	return func(last string) uint64 {
		begin = writtenName(begin, last)
		h := sha256.Sum256(begin)
		begin = begin[:len(begin)-8-len(last)]
		return binary.LittleEndian.Uint64(h[:8])
	}
}

func digest(seed uint64, name []string) [sha256.Size]byte {
	var room [128]byte
	return sha256.Sum256(written(room[:0], seed, name))
}

// written is a seed, and each name behind its length.
func written(b []byte, seed uint64, name []string) []byte {
	b = binary.LittleEndian.AppendUint64(b, seed)
	for _, s := range name {
		b = writtenName(b, s)
	}
	return b
}

func writtenName(b []byte, name string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(name))), name...)
}
