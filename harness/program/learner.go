package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/router"
)

// version of the lines to a learner: raise it where the same task is written otherwise.
const version = 1

// Learner is a user's program that learns. It is safe for concurrent use.
type Learner struct{ program }

// Open finds a program that learns and hashes its files. name is what tables call it.
func Open(name string, words []string, dir string) (*Learner, error) {
	p, err := open("learner", name, words, dir)
	if err == nil {
		err = p.absent
	}
	return &Learner{p}, err
}

// Name is what tables call it.
func (l *Learner) Name() string { return "the program " + l.name }

// Key names the words, the bytes of the files, and the version of the lines.
func (l *Learner) Key() string { return fmt.Sprintf("command %d: %q, %s", version, l.words, l.digest) }

// Router is the program as a learner of package router.
func (l *Learner) Router() router.Learner { return router.Program(l.Name(), l.Key(), l.Run) }

type head struct {
	Version int    `json:"version"`
	Seed    uint64 `json:"seed"` // below 2³¹
	Records int    `json:"records"`
	Pairs   bool   `json:"pairs"` // records have an answer
}

type record struct {
	ID     int     `json:"id"`
	Part   string  `json:"part"` // "train", "held" or "score"
	Text   string  `json:"text"`
	Answer *string `json:"answer,omitempty"`
	Label  *int    `json:"label,omitempty"` // of "train" and "held"
}

type scored struct {
	numbered
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
	said, err := l.run(ctx, &in, 0)
	if err != nil {
		return router.Ran{}, err
	}
	scores, flops, err := read(said, len(train), n)
	if err != nil {
		return router.Ran{}, fmt.Errorf("%s: %w (harness/program/PROTOCOL.md)", strings.Join(l.words, " "), err)
	}
	return router.Ran{Held: scores[:len(held)], Applied: scores[len(held):], FLOPs: flops, Digest: l.digest}, nil
}

// read reads the scores of the records from up to n. flops is the mean, 0 where no line says any.
func read(said []byte, from, n int) (scores []float64, flops float64, err error) {
	scores = make([]float64, n-from)
	counted := 0
	name := func(i int) string { return fmt.Sprintf("record %d", i) }
	err = eachLine(said, from, n, name, func(i int, s scored) error {
		switch {
		case s.Score == nil || !(*s.Score >= 0 && *s.Score <= 1):
			return fmt.Errorf("the score of record %d is no probability, from 0 to 1", i)
		case s.FLOPs != nil && (!(*s.FLOPs >= 0) || math.IsInf(*s.FLOPs, 0)):
			return fmt.Errorf("the flops of record %d are no number of 0 or more", i)
		case s.FLOPs != nil:
			counted++
			flops += *s.FLOPs
		}
		scores[i-from] = *s.Score
		return nil
	})
	if err == nil && counted != 0 && counted != len(scores) {
		err = fmt.Errorf("its output has the flops of %d of %d records: give those of all, or of none", counted, len(scores))
	}
	return scores, flops / float64(max(1, counted)), err
}
