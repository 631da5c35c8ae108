// Package recorded reads answers collected by other programs: tables with any columns, samples of
// the Language Model Evaluation Harness, logs of Inspect, Every Eval Ever, LLMRouterBench. It owns
// those formats, the conversion of a recorded answer to the answer of a request, and the join of answers to requests
// by id. It refuses to know a study: its caller says which model gave the answers, and what is asked.
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

// Options say what to read.
type Options struct {
	Path    string
	FS      fs.FS                  // what Path is looked up in; nil = the machine's file system
	Format  backends.AnswersFormat // "" = auto
	Of      string                 // whose answers are wanted, where rows say whose they are; "" = all
	ModelIn string                 // tables: the column that says whose answer it is; "model" where Of is given
	// lm-eval: the filter whose answers count; Inspect: the scorer whose grades do. "" = the only one
	Filter  string
	Columns dataset.AnswerColumns
	Facts   Facts

	Separator rune // between the cells of a file named .csv; 0 = a comma

	Later func() // Inspect: called for each sample of a later epoch than the first, which is left out; nil = nobody asks

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
	Part       string   // of which split; "" = not said
	Question   string   // what was asked; "" = not said
	References []string // the right answers; nil = not said
	Choices    []string // what could be answered; nil = not said
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
	filters map[string]bool // that answers went through, or of a table that has none, empty

	model, task, part string // what the head of the file says, or of Every Eval Ever its first instance
}

type format struct {
	records func(*log, context.Context, func(place string, r files.Row) error) error
	row     func(*log, files.Row) (Row, error)
}

var formats = map[backends.AnswersFormat]format{
	backends.AnswersTable:       {(*log).lines, (*log).tableRow},
	backends.AnswersLMEval:      {(*log).lines, (*log).lmEval},
	backends.AnswersEvalEver:    {(*log).lines, (*log).evalEver},
	backends.AnswersInspect:     {(*log).samples, (*log).inspect},
	backends.AnswersRouterBench: {listed("records", "record"), (*log).routerBench},
}

// errOther leaves a record out, such as one of another filter.
var errOther = errors.New("another's")

// Each passes the recorded answers of a file to use, one after another and in their order, so that a file may be
// larger than memory. It passes those of the model that o.Of names alone. An error names the line, row or sample.
func Each(ctx context.Context, o Options, use func(Row) error) error {
	if o.Format == "" || o.Format == backends.AnswersAuto {
		var err error
		if o.Format, err = Detect(ctx, o); err != nil {
			return fmt.Errorf("%s: %w", o.Path, err)
		}
	}
	f, known := formats[o.Format]
	if !known {
		return fmt.Errorf("%s: unknown format of answers %q: want one of %v", o.Path, o.Format, backends.AnswersFormats())
	}
	if o.Format == backends.AnswersTable {
		if err := files.CheckSeparator(files.Options{Path: o.Path, FS: o.FS, Separator: o.Separator}); err != nil {
			return fmt.Errorf("%s: %w", o.Path, err)
		}
	}
	l := &log{Options: o, table: newTable(o.Columns, o.Facts), filters: map[string]bool{}}
	others, any := map[string]bool{}, false
	err := f.records(l, ctx, func(place string, r files.Row) error {
		a, err := f.row(l, r)
		if errors.Is(err, errOther) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
		if a.Model = cmp.Or(a.Model, l.model); o.Of != "" && a.Model != "" && a.Model != o.Of {
			others[a.Model] = len(others) < 20 || others[a.Model]
			return nil
		}
		a.Place, a.Task, a.Part = place, cmp.Or(a.Task, l.task), cmp.Or(a.Part, l.part)
		any = true
		return use(a)
	})
	names := slices.Sorted(maps.Keys(l.filters))
	switch {
	case err != nil || o.Format != backends.AnswersLMEval:
	case o.Filter != "" && !l.filters[o.Filter]:
		err = fmt.Errorf("no answer went through the filter %q: there are %q", o.Filter, names)
	case o.Filter == "" && len(names) > 1:
		err = fmt.Errorf("every document was answered once per filter: choose one with answers_filter (import: --filter); "+
			"there are %q", names)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", o.Path, err)
	case !any && len(others) > 0:
		maps.DeleteFunc(others, func(_ string, shown bool) bool { return !shown })
		return fmt.Errorf("%s: it has no answer of %q (answers_of): there are %q", o.Path, o.Of,
			slices.Sorted(maps.Keys(others)))
	case !any:
		return fmt.Errorf("%s: %w: it has no answer", o.Path, dataset.ErrEmpty)
	}
	return nil
}

func (l *log) lines(ctx context.Context, use func(place string, r files.Row) error) error {
	o := files.Options{Path: l.Path, FS: l.FS, Separator: l.Separator}
	if l.Format == backends.AnswersEvalEver {
		o.Format = files.JSONL
	}
	return files.Each(ctx, o, func(r files.Row) error {
		if r.Line > 0 {
			return use(fmt.Sprintf("line %d", r.Line), r)
		}
		return use(fmt.Sprintf("row %d", r.Number), r)
	})
}

// tableRow reads a row of a table; of another model's only whose it is.
func (l *log) tableRow(r files.Row) (Row, error) {
	if l.Of != "" {
		if model, err := r.Text(cmp.Or(l.ModelIn, "model")); err != nil || model != l.Of {
			return Row{Model: model}, err
		}
	}
	a, err := l.table.read(r)
	a.Model = l.Of
	return a, err
}

// EachView passes the rows of a table to use as each of the views reads it: view k has columns of its own, as the
// models of a wide table do. The table is read once.
func EachView(ctx context.Context, o Options, views []Options, use func(k int, a Row, raw files.Row) error) error {
	tables := make([]*table, len(views))
	for k, v := range views {
		tables[k] = newTable(v.Columns, v.Facts)
	}
	return (&log{Options: o}).lines(ctx, func(place string, r files.Row) error {
		for k, v := range views {
			a, err := tables[k].read(r)
			if err == nil && v.ModelIn != "" {
				a.Model, err = r.Text(v.ModelIn)
			}
			if err != nil {
				return fmt.Errorf("%s: %s: %w", o.Path, place, err)
			}
			a.Place = place
			if err := use(k, a, r); err != nil {
				return err
			}
		}
		return nil
	})
}
