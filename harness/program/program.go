// Package program owns the learner "command" of package router: a program of the user's that learns from texts and
// labels and scores further texts. It owns the lines between the two (PROTOCOL.md) and the hash of the program's files.
//
// It refuses replies that are not exactly what was asked for: a score that is missing, unasked for, given twice or no
// probability ends the study, and so does a program that ends with an error. Nothing is ever counted as zero.
//
// Its opinion: a program's scores are worth what its files are worth, so their bytes are part of every fit's name.
package program

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"infnet/backends/strictjson"
	"infnet/harness/regular"
	"infnet/harness/router"
)

// version of the lines: raise it where the same task is written otherwise.
const version = 1

// Learner is a user's program. It is safe for concurrent use.
type Learner struct {
	name   string
	words  []string
	dir    string
	digest string
}

var _ router.Runner = (*Learner)(nil)

// Open finds a program and hashes its files: those that its words name, from the folder dir, in which it runs; where
// they name none, the program itself, as PATH finds it. name is what tables call it.
func Open(name string, words []string, dir string) (*Learner, error) {
	l := &Learner{name: name, words: words, dir: dir}
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
	at, err := exec.LookPath(l.path(words[0]))
	if err != nil {
		return nil, fmt.Errorf("learner %q: no program %q: %w: install it, or correct command", name, words[0], err)
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
				return nil, fmt.Errorf("learner %q: %w", name, err)
			}
		case errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(w, ".") && strings.ContainsRune(w, '/'):
			return nil, fmt.Errorf("learner %q: no file %s: paths in command are relative to the study's file", name, path)
		}
	}
	if files == 0 {
		if err := add(at); err != nil {
			return nil, fmt.Errorf("learner %q: %w", name, err)
		}
	}
	l.digest = hex.EncodeToString(sum.Sum(nil))
	return l, nil
}

// path is where a program is: a name alone is looked for on PATH.
func (l *Learner) path(word string) string {
	if filepath.IsAbs(word) || !strings.ContainsRune(word, filepath.Separator) {
		return word
	}
	return filepath.Join(l.dir, word)
}

// Name is what tables call it.
func (l *Learner) Name() string { return "the program " + l.name }

// Key names the words, the bytes of the files, and the version of the lines.
func (l *Learner) Key() string { return fmt.Sprintf("command %d: %q, %s", version, l.words, l.digest) }

// head is the first line to a program.
type head struct {
	Version int    `json:"version"`
	Seed    uint64 `json:"seed"` // below 2³¹
	Records int    `json:"records"`
	Pairs   bool   `json:"pairs"` // records have an answer
}

// record is a further line to a program.
type record struct {
	ID     int     `json:"id"`
	Part   string  `json:"part"` // "train", "held" or "score"
	Text   string  `json:"text"`
	Answer *string `json:"answer,omitempty"`
	Label  *int    `json:"label,omitempty"` // of "train" and "held"
}

// scored is a line of a program.
type scored struct {
	ID    *int     `json:"id"`
	Score *float64 `json:"score"`
	FLOPs *float64 `json:"flops"`
}

// Run writes the task to the program and reads its scores of the records held out and of those to score.
func (l *Learner) Run(ctx context.Context, t router.Task, train, held []int,
	apply []router.Sample) (router.Ran, error) {
	var in bytes.Buffer
	lines := json.NewEncoder(&in)
	lines.SetEscapeHTML(false)
	n := 0
	put := func(part string, s router.Sample, label *int) error {
		r := record{ID: n, Part: part, Text: s.Query, Label: label}
		if t.Answered {
			r.Answer = &s.Answer
		}
		n++
		return lines.Encode(r)
	}
	err := lines.Encode(head{version, t.Seed & math.MaxInt32, len(train) + len(held) + len(apply), t.Answered})
	for k, i := range slices.Concat(train, held) {
		label := int(t.Labels[i])
		part := "train"
		if k >= len(train) {
			part = "held"
		}
		err = errors.Join(err, put(part, t.Samples[i], &label))
	}
	for _, s := range apply {
		err = errors.Join(err, put("score", s, nil))
	}
	if err != nil {
		return router.Ran{}, err
	}
	said, err := l.run(ctx, &in)
	if err != nil {
		return router.Ran{}, err
	}
	scores, flops, err := read(said, len(train), n)
	if err != nil {
		return router.Ran{}, fmt.Errorf("%s: %w (harness/program/PROTOCOL.md)", strings.Join(l.words, " "), err)
	}
	return router.Ran{Held: scores[:len(held)], Applied: scores[len(held):], FLOPs: flops, Digest: l.digest}, nil
}

// run runs the program and returns what it wrote.
func (l *Learner) run(ctx context.Context, in io.Reader) ([]byte, error) {
	cmd := exec.CommandContext(ctx, l.path(l.words[0]), l.words[1:]...)
	var out bytes.Buffer
	said := &tail{most: 2000}
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = l.dir, in, &out, said, 5*time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%s: %w; its last words: %s", strings.Join(l.words, " "), err, said)
	}
	return out.Bytes(), nil
}

// read reads the scores of the records from up to n. A line that is no score of one of them is an error, and so is a
// record without one. flops is the mean, 0 where no line says any.
func read(said []byte, from, n int) (scores []float64, flops float64, err error) {
	scores = make([]float64, n-from)
	seen := make([]bool, n-from)
	counted := 0
	lines := bufio.NewScanner(bytes.NewReader(said))
	lines.Buffer(nil, 1<<20)
	for at := 1; lines.Scan(); at++ {
		var s scored
		err := strictjson.Unmarshal(lines.Bytes(), &s)
		switch {
		case err != nil:
			return nil, 0, fmt.Errorf("line %d of its output: %w", at, err)
		case s.ID == nil || *s.ID < from || *s.ID >= n:
			return nil, 0, fmt.Errorf("line %d of its output: want the id of a record to score, %d to %d", at, from, n-1)
		case seen[*s.ID-from]:
			return nil, 0, fmt.Errorf("line %d of its output: record %d has two scores", at, *s.ID)
		case s.Score == nil || !(*s.Score >= 0 && *s.Score <= 1):
			return nil, 0, fmt.Errorf("line %d of its output: the score of record %d is no probability, from 0 to 1", at, *s.ID)
		case s.FLOPs != nil && (!(*s.FLOPs >= 0) || math.IsInf(*s.FLOPs, 0)):
			return nil, 0, fmt.Errorf("line %d of its output: the flops of record %d are no number of 0 or more", at, *s.ID)
		}
		scores[*s.ID-from], seen[*s.ID-from] = *s.Score, true
		if s.FLOPs != nil {
			counted++
			flops += *s.FLOPs
		}
	}
	if err := lines.Err(); err != nil {
		return nil, 0, fmt.Errorf("its output: %w", err)
	}
	for i, ok := range seen {
		if !ok {
			return nil, 0, fmt.Errorf("its output has no score of record %d", from+i)
		}
	}
	if counted != 0 && counted != len(scores) {
		return nil, 0, fmt.Errorf("its output has the flops of %d of %d records: give those of all, or of none", counted,
			len(scores))
	}
	return scores, flops / float64(max(1, counted)), nil
}

// tail keeps the end of what is written to it.
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
