// Package split assigns roles to records: fit and test part, folds of a cross-fit, and the graph of roles with the
// hash that results carry. It also tests whether fit and test part look alike. It refuses to separate records of one
// group. Its opinion: a record's role depends on the seed and its id alone, so that adding a record moves no other.
package split

import (
	"bufio"
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

// NewGraph makes a graph. The hash covers names and ids in order: each string as its length (64 bits, little-endian)
// and bytes, each list behind its length, the whole behind a version byte 1.
func NewGraph(roles ...Role) Graph {
	list := make([]lazyRole, len(roles))
	for k, r := range roles {
		list[k] = lazyRole{r.Name, len(r.IDs), func(i int) string { return r.IDs[i] }}
	}
	return Graph{Roles: slices.Clone(roles), Hash: hashOf(list...)}
}

// lazyRole is the role of n records.
type lazyRole struct {
	name string
	n    int
	id   func(i int) string
}

// hashOf is the hash of a graph of these roles.
func hashOf(roles ...lazyRole) string {
	hash := sha256.New()
	w := bufio.NewWriterSize(hash, 32<<10) // writing to a hash never fails
	number := func(n int) { w.Write(binary.LittleEndian.AppendUint64(w.AvailableBuffer(), uint64(n))) }
	text := func(s string) {
		number(len(s))
		w.WriteString(s)
	}
	w.WriteByte(1)
	number(len(roles))
	for _, r := range roles {
		text(r.name)
		number(r.n)
		for i := range r.n {
			text(r.id(i))
		}
	}
	w.Flush()
	return hex.EncodeToString(hash.Sum(nil))
}
