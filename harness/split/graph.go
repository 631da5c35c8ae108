// Package split assigns roles to records: fit and test part, folds of a cross-fit,
// and the graph of roles with the hash that results carry. It also tests whether
// fit and test part look alike. It refuses to separate records of one group. Its
// opinion: a record's role depends on the seed and its id alone, so that adding a
// record moves no other.
package split

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
)

// Role is the role of some records: fit, test, or a fold of a cross-fit.
type Role struct {
	Name string   `json:"name"`
	IDs  []string `json:"ids"` // in the order of the dataset
}

// Graph holds the role of every record. It is written into the results, so that
// anyone can check that nothing was tested on a record that it was fitted on.
type Graph struct {
	Roles []Role `json:"roles"`
	Hash  string `json:"hash"` // SHA-256 of the roles, hexadecimal
}

// NewGraph makes a graph. The hash covers names and ids in order: each string
// as its length (64 bits, little-endian) and bytes, each list behind its length,
// the whole behind a version byte 1.
func NewGraph(roles ...Role) Graph {
	h := sha256.New()
	h.Write([]byte{1})
	var b [8]byte
	number := func(n int) {
		binary.LittleEndian.PutUint64(b[:], uint64(n))
		h.Write(b[:])
	}
	number(len(roles))
	for _, r := range roles {
		number(len(r.Name))
		h.Write([]byte(r.Name))
		number(len(r.IDs))
		for _, id := range r.IDs {
			number(len(id))
			h.Write([]byte(id))
		}
	}
	return Graph{Roles: slices.Clone(roles), Hash: hex.EncodeToString(h.Sum(nil))}
}

// With returns the graph with more roles; g is not changed.
func (g Graph) With(roles ...Role) Graph {
	return NewGraph(slices.Concat(g.Roles, roles)...)
}
