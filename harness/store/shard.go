package store

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Shards let processes on several machines write to one store: each into files that it alone made.
// Nothing is locked, as locks are not to be had on every network file system.

const (
	shardMark    = ".shard-"         // after the hash, in the names of shards' files
	failuresMark = ".failures.jsonl" // at the end of the names of files of failures
)

// place is where the lines of one kind are.
type place struct {
	main   string   // the file that a process without a shard writes; it may not exist
	shards []string // files of shards, the oldest first
}

// find returns the files with a hash. The main file ends in -hash.jsonl, or has the name it would get:
// the slug may differ between studies that call a dataset by different names.
func (s *Store) find(readable, hash string) (at, failures place, err error) {
	main := filepath.Join(s.root, readable+"-"+hash+".jsonl")
	entries, err := os.ReadDir(s.root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return at, failures, diagnose("read the store", s.root, "--store", err)
	}
	found := false
	for _, e := range entries { // sorted by name
		path := filepath.Join(s.root, e.Name())
		switch _, after, ok := strings.Cut(e.Name(), "-"+hash); {
		case !ok || filepath.Ext(after) != ".jsonl":
		case after == ".jsonl" && !found:
			main, found = path, true
		case !strings.HasPrefix(after, shardMark):
		case strings.HasSuffix(after, failuresMark):
			failures.shards = append(failures.shards, path)
		default:
			at.shards = append(at.shards, path)
		}
	}
	at.main, failures.main = main, failuresPath(main)
	for _, list := range [][]string{at.shards, failures.shards} {
		slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(made(a), made(b)), cmp.Compare(a, b)) })
	}
	return at, failures, nil
}

// made is the part of the name of a shard's file that begins with the time at which it was made.
func made(path string) string {
	_, after, _ := strings.Cut(filepath.Base(path), shardMark)
	return after
}

// makeShard makes a file that only this opening writes, next to the main one.
func (s *Store) makeShard(main string, failures bool) (path string, err error) {
	if err := s.make(); err != nil {
		return "", err
	}
	end := ".jsonl"
	if failures {
		end = failuresMark
	}
	stem := strings.TrimSuffix(filepath.Base(main), end)
	for {
		var random [6]byte
		_, _ = rand.Read(random[:]) // it never fails
		name := fmt.Sprintf("%s%s%s-%s-%s-%d-%s%s", stem, shardMark, time.Now().UTC().Format("20060102T150405.000Z"),
			s.opt.Shard, Host(), os.Getpid(), hex.EncodeToString(random[:]), end)
		path = filepath.Join(s.root, name)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", diagnose("make a file of a shard", path, "--store", err)
		}
		return path, f.Close()
	}
}
