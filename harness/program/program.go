// Package program owns programs of the user's: the learner "command" of package router, which learns from texts and
// labels and scores further texts, and the grader "command" of package task, which says how right answers are. It owns
// the lines between the two sides (PROTOCOL.md) and the hash of a program's files.
//
// It refuses replies that are not exactly what was asked for: a score that is missing, unasked for, given twice or out
// of its range ends the study, and so does a program that ends with an error. Nothing is ever counted as zero.
//
// Its opinion: a program's scores are worth what its files are worth, so their bytes are part of every score's name.
package program

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"infnet/backends/strictjson"
	"infnet/harness/regular"
)

type program struct {
	name   string
	words  []string
	dir    string // where it runs
	digest string // of its files
	absent error  // why it cannot be run here, though its files can be hashed; nil = it can
}

// open finds a program and hashes its files: those that its words name, from the folder dir, in which it runs; where
// they name none, the program itself, as PATH finds it. what it is, learner or grader, is for errors.
func open(what, name string, words []string, dir string) (p program, err error) {
	defer func() {
		for _, e := range []*error{&err, &p.absent} {
			if *e != nil {
				*e = fmt.Errorf("%s %q: %w", what, name, *e)
			}
		}
	}()
	if dir, err = filepath.Abs(dir); err != nil { // a program's relative path would be one from there
		return p, err
	}
	p = program{name: name, words: words, dir: dir}
	sum, files := sha256.New(), 0
	add := func(path string) error {
		f, err := regular.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		files++
		fmt.Fprintf(sum, "%s\n", filepath.Base(path))
		_, err = io.Copy(sum, f)
		return err
	}
	at, err := exec.LookPath(p.path(words[0]))
	if err != nil {
		p.absent = fmt.Errorf("no program %q: %w: install it, or correct command", words[0], err)
	}
	for _, w := range words {
		path := w
		if !filepath.IsAbs(w) {
			path = filepath.Join(dir, w)
		}
		info, err := os.Stat(path)
		switch {
		case err == nil && info.Mode().IsRegular():
			if err := add(path); err != nil {
				return p, err
			}
		case errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(w, ".") && strings.ContainsRune(w, '/'):
			return p, fmt.Errorf("no file %s: paths in command are relative to the study's file", path)
		}
	}
	if files == 0 && p.absent != nil {
		return program{}, p.absent
	}
	if files == 0 {
		if err := add(at); err != nil {
			return p, err
		}
	}
	p.digest = hex.EncodeToString(sum.Sum(nil))
	return p, nil
}

// path is where a program is: a name alone is looked for on PATH.
func (p *program) path(word string) string {
	if filepath.IsAbs(word) || !strings.ContainsRune(word, filepath.Separator) {
		return word
	}
	return filepath.Join(p.dir, word)
}

// run runs the program and returns what it wrote. It ends a program that writes nothing for as long as silence; 0 =
// however long.
func (p *program) run(ctx context.Context, in io.Reader, silence time.Duration) ([]byte, error) {
	mine, end := context.WithCancelCause(ctx)
	defer end(nil)
	heard := func() {}
	if silence > 0 {
		watch := time.AfterFunc(silence, func() { end(errSilent) })
		defer watch.Stop()
		heard = func() { watch.Reset(silence) }
	}
	cmd := exec.CommandContext(mine, p.path(p.words[0]), p.words[1:]...)
	var out bytes.Buffer
	said := &tail{most: 2000}
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = p.dir, in, 5*time.Second
	cmd.Stdout, cmd.Stderr = &ear{to: &out, heard: heard}, &ear{to: said, heard: heard}
	withChildren(cmd)
	err := cmd.Run()
	switch {
	case err == nil:
		return out.Bytes(), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case context.Cause(mine) == errSilent:
		err = fmt.Errorf("it wrote nothing for %v, and was ended: write a line as soon as it is known, or raise timeout",
			silence)
	}
	return nil, fmt.Errorf("%s: %w; its last words: %s", strings.Join(p.words, " "), err, said)
}

var errSilent = errors.New("the program is silent")

// numbered is a line about one of the things that a program was told.
type numbered struct {
	ID *int `json:"id"`
}

func (n numbered) id() *int { return n.ID }

// eachLine reads a program's output, a line for each number of from up to n, in any order. name says what has a number.
func eachLine[T interface{ id() *int }](said []byte, from, n int, name func(i int) string,
	take func(i int, s T) error) error {
	lines := bufio.NewScanner(bytes.NewReader(said))
	lines.Buffer(nil, 1<<20)
	seen := make([]bool, n)
	for at := 1; lines.Scan(); at++ {
		var s T
		err := strictjson.Unmarshal(lines.Bytes(), &s)
		switch id := s.id(); {
		case err != nil:
		case id == nil || *id < from || *id >= n:
			err = fmt.Errorf("want an id from %d to %d", from, n-1)
		default:
			if err = take(*id, s); err == nil && seen[*id] {
				err = fmt.Errorf("%s has two scores", name(*id))
			}
			seen[*id] = true
		}
		if err != nil {
			return fmt.Errorf("line %d of its output: %w", at, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("its output: %w", err)
	}
	if i := slices.Index(seen[from:], false); i >= 0 {
		return errors.New("its output has no score of " + name(from+i))
	}
	return nil
}

// mostOutput is the most that a program may write.
const mostOutput = 256 << 20

// ear notes that something was written, and passes it on.
type ear struct {
	to    io.Writer
	heard func()
	n     int
}

func (e *ear) Write(b []byte) (int, error) {
	e.heard()
	if e.n += len(b); e.n > mostOutput {
		return 0, fmt.Errorf("it wrote more than %d MiB", mostOutput>>20)
	}
	return e.to.Write(b)
}

type tail struct {
	most int
	kept []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	t.kept = t.kept[max(0, len(t.kept)-t.most):]
	return len(b), nil
}

func (t *tail) String() string {
	if s := strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "")); s != "" {
		return s
	}
	return "none"
}
