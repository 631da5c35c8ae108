// Package split assigns roles to records: fit and test part, folds of a cross-fit, and the graph of roles with the
// hash that results carry. It also tests whether fit and test part look alike. It refuses to separate records of one
// group. Its opinion: a record's role depends on the seed and its id alone, so that adding a record moves no other.
package split

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
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

// NewGraph makes a graph. The hash covers names and ids in order: each string as its length (64 bits, little-endian)
// and bytes, each list behind its length, the whole behind a version byte 1.
func NewGraph(roles ...Role) Graph {
	g := newGraphHash(len(roles))
	for _, r := range roles {
		g.role(r.Name, len(r.IDs), func(i int) string { return r.IDs[i] })
	}
	return Graph{Roles: slices.Clone(roles), Hash: g.sum()}
}

// graphHash makes the hash of a graph.
type graphHash struct {
	hash hash.Hash
	buf  []byte
}

// hashAhead is how many bytes are hashed at a time.
const hashAhead = 32 << 10

func newGraphHash(roles int) *graphHash {
	g := &graphHash{hash: sha256.New(), buf: make([]byte, 0, 2*hashAhead)}
	g.buf = append(g.buf, 1)
	g.number(roles)
	return g
}

func (g *graphHash) number(n int) { g.buf = binary.LittleEndian.AppendUint64(g.buf, uint64(n)) }

func (g *graphHash) text(s string) {
	g.number(len(s))
	if g.buf = append(g.buf, s...); len(g.buf) >= hashAhead {
		g.hash.Write(g.buf)
		g.buf = g.buf[:0]
	}
}

// role adds a role of n records.
func (g *graphHash) role(name string, n int, id func(i int) string) {
	g.text(name)
	g.number(n)
	for i := range n {
		g.text(id(i))
	}
}

func (g *graphHash) sum() string {
	g.hash.Write(g.buf)
	return hex.EncodeToString(g.hash.Sum(nil))
}
