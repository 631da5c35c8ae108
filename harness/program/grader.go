package program

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"infnet/backends"
)

// graderVersion is that of the lines to a grader: raise it where the same answers are written otherwise.
const graderVersion = 1

// Grader is a user's program that grades answers. It is safe for concurrent use.
type Grader struct {
	program
	silence time.Duration
}

// OpenGrader finds a program that grades and hashes its files. name is what tables call it; silence is how long it may
// write nothing. Where its files are there and what runs them is not, its grades can be read all the same: see Ready.
func OpenGrader(name string, words []string, dir string, silence time.Duration) (*Grader, error) {
	p, err := open("grader", name, words, dir)
	return &Grader{p, silence}, err
}

// ID is the program as the store knows it: by its words, the bytes of its files and the version of the lines.
func (g *Grader) ID() backends.ModelID {
	return backends.ModelID{ID: g.name, Kind: backends.Command,
		Revision: fmt.Sprintf("grader %d: %q, %s", graderVersion, g.words, g.digest)}
}

// Ready says why the program cannot be run here; nil = it can.
func (g *Grader) Ready() error { return g.absent }

// Digest is the hash of the program's files.
func (g *Grader) Digest() string { return g.digest }

type graded struct {
	numbered
	Score     *float64       `json:"score"`
	Undecided bool           `json:"undecided"`
	Error     *string        `json:"error"`
	Others    map[string]any `json:",embed"`
}

// Grade runs the program on answers: the source of each pair is the record, a JSON object, and its target the answer.
// It returns a score from 0 to 1 for each; nil = the program could not tell.
func (g *Grader) Grade(ctx context.Context, list []backends.Pair) ([]*float64, error) {
	var in bytes.Buffer
	lines := json.NewEncoder(&in)
	lines.SetEscapeHTML(false)
	err := lines.Encode(struct {
		Version int `json:"version"`
		Answers int `json:"answers"`
	}{graderVersion, len(list)})
	for i, p := range list {
		if err == nil {
			fmt.Fprintf(&in, `{"id":%d,%s,"answer":`, i, strings.TrimSuffix(strings.TrimPrefix(p.Source, "{"), "}"))
			err = lines.Encode(p.Target)
			in.Truncate(in.Len() - 1)
			in.WriteString("}\n")
		}
	}
	if err != nil {
		return nil, err
	}
	said, err := g.run(ctx, &in, g.silence)
	if err != nil {
		return nil, err
	}
	scores := make([]*float64, len(list))
	name := func(i int) string { return fmt.Sprintf("answer %d, %.60q", i, list[i].Target) }
	err = eachLine(said, 0, len(list), name, func(i int, s graded) error {
		scores[i] = s.Score
		switch {
		case s.Error != nil:
			return fmt.Errorf("it could not grade %s: %s", name(i), *s.Error)
		case len(s.Others) > 0:
			return fmt.Errorf("a grade has an id, and a score or \"undecided\": true, and nothing else: %v", s.Others)
		case s.Undecided == (s.Score != nil):
			return fmt.Errorf("want a score of answer %d, or \"undecided\": true", i)
		case s.Score != nil && !(*s.Score >= 0 && *s.Score <= 1):
			return fmt.Errorf("the score of answer %d is %v, want 0 to 1", i, *s.Score)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w (harness/program/PROTOCOL.md)", strings.Join(g.words, " "), err)
	}
	return scores, nil
}
