// Package importer writes the studies of infnet init: the one that replays files of recorded answers, and a starter for
// a file of data. It owns the recognition of columns and models, the guess at what data are, what it says about them,
// and the text of the studies (*.tmpl). It refuses to guess a number: a fact that the files do not have is reported as
// missing, and data in which no column looks like a label or a reference are no study.
//
// Its opinion: files are larger than memory. Every file is read once, row by row; what is kept of a question are the
// hashes of its id and text, and a bit for each model that answered it.
package importer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/recorded"
)

// Options say what to import.
type Options struct {
	Name    string            // of the study
	Files   []string          // of answers, and of questions
	Columns map[string]string // roles by the keys of a model's columns, such as correct → right; others are recognised
	Filter  string            // of lm-eval or the scorer of Inspect, whose answers or grades count; "" = the only one
	Out     string            // the study's file: paths in it are relative to its folder

	Progress func(rows int) // hears of the rows read, now and then; nil = nobody does
}

// Found is what the files hold.
type Found struct {
	Name      string
	Files     []File
	Models    []*Model
	Questions Questions
	Remarks   []string // what is missing or suspect
}

// File is one of the files.
type File struct {
	Path   string
	Format backends.AnswersFormat // "" = questions
	Rows   int
	Roles  []Role   // of a table
	Unused []string // columns of a table that mean nothing to import
}

// Role says what a column means.
type Role struct {
	Column, Key string
	Model       string // whose, in a wide table
}

// Model is one model of the files.
type Model struct {
	Name    string // in the study
	Of      string // as the files name it; "" = they do not
	Paths   []string
	Format  backends.AnswersFormat
	Columns []Role // to be written into the study; nil = their names are usual
	ModelIn string // the column that says whose answer it is
	Filter  string
	Sep     rune // between the cells of its tables, where it is no comma

	Rows, Whole, Failed int
	Has                 [facts]int // answers with each fact

	Judged    int  // without a grade, and compared with the right answer
	Unclassed int  // neither a label nor scores of labels
	Said      int  // with a text
	Unnamed   bool // scores of labels without names

	lacks        [facts]string // where the first answer without each is
	NullLogprobs int
	Partly       bool    // some grade is neither 0 nor 1
	Right        float64 // of the graded and the judged
	Cost         float64
	Currency     string
	currencies   []Place
	twice        tally // ids that it answers twice
	first        Place // of its first answer, and the id
	sure         recorded.Confidences
	texts        map[string]int // short answers, by number
	overflow     bool
	bit          uint64
}

// Place is where something was found first.
type Place struct{ What, Where string }

// tally counts what is odd.
type tally struct {
	n     int
	first string // its place
}

func (t *tally) add(path string, r recorded.Row) {
	if t.n++; t.n == 1 {
		t.first = fmt.Sprintf("%s: %s, id %q", path, r.Place, r.ID)
	}
}

// Questions are what was asked.
type Questions struct {
	N          int
	Everybody  int    // answered by every model
	Usable     int    // answered by every model, with a grade where grades decide
	Equal      int    // with a text that another has too
	Leaked     int    // with a text that is in both parts of the column of the split
	Asked      int    // those with a text
	References int    // those with a right answer
	Path       string // the file to use; "" = one has to be written
	Text       string // its column of the text; "" = there is none
	Right      string // its column of the right answers; "" = there is none
	Part       string // its column of the split; "" = the split is drawn
	ID         string
	Choices    []string // what could be answered to every question alike; nil = not said
	Labels     []string // of a classification, in order; nil = it is none
	Sep        rune     // between the cells of the file, where it is no comma
	Fit, Test  int      // rows by the column of the split
}

// mostModels is how many models one import may have: each has a bit.
const mostModels = 65

// Import looks through the files. questions takes a line of JSON for every question, where no file holds them.
func Import(ctx context.Context, o Options, questions func(line []byte) error) (*Found, error) {
	s := &scan{o: o, found: &Found{Name: o.Name}, seen: map[uint64]entry{}, named: map[string]bool{},
		parts: map[string]int{}, labels: names{all: map[string]bool{}}, write: questions}
	s.askers(ctx)
	for _, path := range s.o.Files {
		if err := s.file(ctx, path); err != nil {
			return nil, err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(o.Columns)) {
		if !s.named[key] {
			return nil, fmt.Errorf("no table has the column %q (--column %s=%s)", o.Columns[key], key, o.Columns[key])
		}
	}
	if len(s.found.Models) == 0 {
		return nil, errors.New("there are no answers in what was named: a row of answers has an id, and a text, a grade " +
			"or a confidence; name columns that have other names, --column correct=COLUMN")
	}
	if o.Filter != "" && !s.filtered {
		return nil, fmt.Errorf("--filter %s: none of the files is of lm-evaluation-harness or Inspect", o.Filter)
	}
	s.finish()
	return s.found, nil
}

func (o Options) options(path string) recorded.Options {
	return recorded.Options{Path: path, Facts: recorded.Facts{Wanted: true}, IDColumn: o.Columns["id"]}
}

// base is a file's name without its endings.
func base(path string) string {
	name := filepath.Base(path)
	for _, ending := range []string{".gz", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".eval"} {
		if name != ending {
			name = strings.TrimSuffix(name, ending)
		}
	}
	return name
}
