// Package store keeps what models computed. It owns the files of answers, recorded failures, embeddings, scores and
// findings about servers: their format (FORMAT.md), their locks, the recovery from torn lines, and the atomic
// replacement of result files. It refuses to call a model, to grade, and to edit or delete a valid line.
//
// Its opinion: an answer is expensive and a disk is cheap. Files are append-only, every line carries a checksum, a
// batch is on disk before it is counted, and damage is reported with file and line, never skipped.
package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"strings"
	"sync"

	"infnet/backends"
)

// Options say how a store writes.
type Options struct {
	// Shard, where not "", makes every opening for writing write into a file of its own, with this
	// word in its name, and take no lock: processes on several machines may write at once.
	Shard string

	// Notice, where not nil, is called for every torn last line found in a
	// file, once each. It may be called from several goroutines.
	Notice func(Torn)
}

// Store is a folder of files. Opening one touches nothing; files are made when
// something is written. A Store is safe for concurrent use.
type Store struct {
	root string
	opt  Options

	mu       sync.Mutex
	reported map[Torn]bool // to Notice
}

// Open returns the store in the folder root, which need not exist yet.
func Open(root string, opt Options) *Store { return &Store{root: root, opt: opt} }

// Root returns the store's folder.
func (s *Store) Root() string { return s.root }

// ID names the file of one model's answers to one dataset.
type ID struct {
	Model   backends.ModelID
	Dataset string // content hash of the dataset: part of the identity
	Name    string // the dataset's name, for people: it shapes the file's name only
}

// hash is the identity in the file's name: 12 hexadecimal digits, enough to
// tell files apart; the header carries the whole identity and is compared.
func hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// slug makes a readable, portable file name part: lower-case letters, digits and hyphens, at most 40 bytes.
func slug(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		default:
			gap = true
		}
		if b.Len() >= 40 {
			break
		}
	}
	if b.Len() == 0 {
		return "x"
	}
	return b.String()
}

// make creates the store's folder.
func (s *Store) make() error {
	if err := os.MkdirAll(s.root, 0o777); err != nil {
		return diagnose("create the store", s.root, "--store", err)
	}
	return nil
}
