// Package recorded reads answers collected by other programs: tables with any columns, samples of the Language Model
// Evaluation Harness, logs of Inspect. It owns those formats, the conversion of a recorded answer to the answer of a
// request, and the join of answers to requests by id. It refuses to know a study: its caller says which model gave the
// answers, and what is asked.
//
// Its opinion: nothing is made up. An answer with neither log-probabilities nor a
// stated confidence has no confidence, a count that was not recorded stays
// unknown, and a row that contradicts itself is an error with its line.
package recorded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
)

// Format is how a file holds recorded answers. It is recognised by the file's content.
type Format string

const (
	Table   Format = "table"   // one row per answer: JSONL, CSV, TSV or Parquet
	LMEval  Format = "lm-eval" // samples of the Language Model Evaluation Harness (--log_samples)
	Inspect Format = "inspect" // an Inspect evaluation log, .eval or JSON
)

// Options say what to read.
type Options struct {
	Path    string
	FS      fs.FS  // what Path is looked up in; nil = the machine's file system
	Of      string // whose answers are wanted, where the rows of a table say whose they are; "" = all
	ModelIn string // tables: the column that says whose answer a row is; "" = "model", where there is one
	Columns dataset.AnswerColumns
	Facts   Facts
	Cells   bool // rows of a table come with all of their cells

	// IDColumn is the data's own column of ids; "" = they are row numbers.
	// Samples of lm-eval that hold the document are matched by it.
	IDColumn string
}

// Facts say how grades and costs are read.
type Facts struct {
	dataset.AnswerFacts

	Wanted      bool   // look for them by their default names too
	PreferScore bool   // of two columns with default names, the score is the grade
	In          string // the currency that every cost must have; "" = any

	cachedApart bool // cached tokens are not counted among the prompt's
}

// Row is one recorded answer.
type Row struct {
	ID      string // of the example
	Number  int    // lm-eval: 1-based number of the document in the data; 0 = not known
	Dataset string // "" = not said
	Place   string // its position in the file: "line 3"

	Text       string
	Said       bool // Text was recorded
	Label      string
	Labelled   bool // Label was recorded
	Confidence *float64
	Scores     []Score
	Tokens     []backends.Token
	Usage      backends.Usage
	Latency    time.Duration
	Finish     backends.Finish // "" = not recorded
	Whole      bool            // Tokens has one entry, for an answer of unknown length
	Shared     bool            // Tokens share one log-probability, that of the whole answer, evenly
	Grade      *float64        // in [0,1], 1 = right
	Cost       *backends.Money // its currency is Facts.In where the row says none
	Fault      string          // why the model said nothing; "" = it did

	Model      string   // whose answer it is; "" = not said
	Task       string   // what the format calls the dataset; "" = not said
	Question   string   // what was asked; "" = not said
	References []string // the right answers; nil = not said

	Cells *files.Row // of a table, where Options.Cells asks for them
}

// Score is the log-probability of one label, up to a constant all scores of an
// answer share.
type Score struct {
	Label   string // "" = the label at this place of the list
	Logprob float64
}

type log struct {
	Options
	table   *table
	filters map[string]bool // that answers of lm-eval went through
	others  map[string]bool // models whose answers are left out

	model, task string // what the head of the file says
}

// errOther leaves a record out, such as one of another model.
var errOther = errors.New("another's")

// Each passes the recorded answers of a file to use, one after another and in their order, so that a file may be
// larger than memory. Of a table it passes those of the model that o.Of names alone. An error names the line, row or
// sample.
func Each(ctx context.Context, o Options, use func(Row) error) error {
	format, err := Detect(o)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Path, err)
	}
	l := &log{Options: o, table: newTable(o.Columns, o.Facts), filters: map[string]bool{}, others: map[string]bool{}}
	records, row := l.lines, l.tableRow
	switch format {
	case LMEval:
		row = l.lmEval
	case Inspect:
		records, row = l.samples, l.inspect
	}
	any := false
	err = records(ctx, func(place string, r files.Row) error {
		a, err := row(r)
		if errors.Is(err, errOther) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
		a.Place, a.Model, a.Task, any = place, cmp.Or(a.Model, l.model), l.task, true
		return use(a)
	})
	switch {
	case err != nil:
	case len(l.filters) > 1:
		err = fmt.Errorf("every document was answered once per filter, of which there are %q: keep the lines of one, "+
			"grep '\"filter\": \"NAME\"'", slices.Sorted(maps.Keys(l.filters)))
	case !any && len(l.others) > 0:
		err = fmt.Errorf("it has no answer of %q: there are %q; the model's id says which it is", o.Of,
			slices.Sorted(maps.Keys(l.others)))
	case !any:
		err = fmt.Errorf("%w: it has no answer", dataset.ErrEmpty)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.Path, err)
	}
	return nil
}

func (l *log) lines(ctx context.Context, use func(place string, r files.Row) error) error {
	return files.Each(ctx, files.Options{Path: l.Path, FS: l.FS}, func(r files.Row) error {
		if r.Line > 0 {
			return use(fmt.Sprintf("line %d", r.Line), r)
		}
		return use(fmt.Sprintf("row %d", r.Number), r)
	})
}

// mostOthers bounds what is kept of the models whose answers are left out.
const mostOthers = 20

// tableRow reads a row of a table; of another model's only whose it is.
func (l *log) tableRow(r files.Row) (Row, error) {
	model, err := "", error(nil)
	if l.ModelIn != "" || r.Has("model") {
		model, err = r.Text(cmp.Or(l.ModelIn, "model"))
	}
	if err == nil && l.Of != "" && model != "" && model != l.Of {
		if len(l.others) < mostOthers {
			l.others[model] = true
		}
		err = errOther
	}
	if err != nil {
		return Row{}, err
	}
	a, err := l.table.read(r)
	if a.Model = model; l.Cells {
		a.Cells = &r
	}
	return a, err
}
