// Package routing applies a thresholds file to answers: accept the student's answer, defer to
// the master, or abstain. It owns the fields and formats of answers (a JSON object per line, or a row of a
// table), the calibration of their confidence, and the coin of a mixed policy. It refuses
// thresholds without their requested guarantee, unless explicitly allowed, and calibrations whose
// parameters the file lacks. It calls no model.
//
// Its opinion: a query whose class has no fitted threshold is deferred, with one warning per class.
package routing

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
	"infnet/harness/fault"
	"infnet/harness/outcomes"
	"infnet/harness/seed"
)

// Options say how to read answers. Fields without a name are recognised, as in a log.
type Options struct {
	Policy                string // of the file; "" = the only one
	ID, Confidence, Class string

	Calibrated  bool   // the confidences are calibrated already
	Uncertified bool   // apply thresholds whose guarantee could not be given
	Seed        uint64 // of the coins of a mixture
}

// Decision is what is decided about one query.
type Decision struct {
	ID        json.RawMessage `json:"id,omitempty"`        // as the answer writes it
	Decision  string          `json:"decision"`            // Accept, Defer or Abstain
	Threshold any             `json:"threshold,omitempty"` // the one that decided: a number or "inf"; none for an unknown class

	Class string  `json:"-"` // "" where the policy does not look at it
	Beta  float64 `json:"-"` // before calibration
}

// The decisions: the student's answer counts, the master is asked, nobody answers.
const (
	Accept  = "accept"
	Defer   = "defer"
	Abstain = "abstain"
)

// Router decides query by query.
type Router struct {
	options Options
	rule    *Rule
	emit    func(Decision) error
	warn    func(text string)
	unknown map[string]bool // classes that were warned of

	// The fields in use, as the first row shows them; "" = no such field.
	recognised            bool
	id, confidence, class string
}

// Open reads a thresholds file. Decisions go to emit, in the order of the answers, and warnings to
// warn.
func Open(path string, o Options, emit func(Decision) error, warn func(text string)) (*Router, error) {
	rule, err := Load(path, o)
	if err != nil {
		return nil, err
	}
	return rule.router(o, emit, warn), nil
}

func (r *Rule) router(o Options, emit func(Decision) error, warn func(text string)) *Router {
	return &Router{options: o, rule: r, emit: emit, warn: warn, unknown: map[string]bool{}}
}

func (r *Router) answer(row files.Row) error {
	if !r.recognised {
		r.recognise(row)
	}
	d, err := r.decide(row)
	if err != nil {
		return err
	}
	if r.id != "" && row.Has(r.id) {
		if v, err := row.Value(r.id); err != nil {
			return err
		} else if v != nil {
			if d.ID, err = json.Marshal(v); err != nil {
				return err
			}
		}
	}
	if err := r.emit(d); err != nil {
		return fmt.Errorf("write the decisions: %w", err)
	}
	return nil
}

// recognise finds the fields that have no name yet in the first row.
func (r *Router) recognise(row files.Row) {
	r.recognised = true
	o := r.options
	have := slices.Sorted(maps.Keys(row.Values))
	find := func(given string, role dataset.Role, taken ...string) string {
		return cmp.Or(given, dataset.Find(have, outcomes.Names(role), taken...))
	}
	r.confidence = cmp.Or(find(o.Confidence, "confidence", o.ID, o.Class), "confidence")
	r.id = find(o.ID, "id", r.confidence, o.Class)
	r.class = cmp.Or(find(o.Class, "class", r.confidence, r.id), "class")
}

func (r *Router) decide(row files.Row) (Decision, error) {
	text, err := field(row, r.confidence, "--confidence")
	if err != nil {
		return Decision{}, err
	}
	beta, err := outcomes.Unit("confidence", text)
	if err != nil {
		return Decision{}, err
	}
	class := ""
	if r.rule.ByClass() {
		if class, err = field(row, r.class, "--class"); err != nil {
			return Decision{}, err
		}
	}
	coin := 0.0
	if r.rule.Mixture != nil {
		id, err := field(row, cmp.Or(r.id, "id"), "--id")
		if err != nil {
			return Decision{}, fmt.Errorf("%w (what a mixture decides at random depends on the id)", err)
		}
		coin = seed.Uniform(r.options.Seed, "mixture", id)
	}
	d, known := r.rule.Decide(class, beta, coin)
	if !known && !r.unknown[class] {
		r.unknown[class] = true
		r.warn(fmt.Sprintf("the class %q has no threshold: its queries are deferred", class))
	}
	d.Class, d.Beta = class, beta
	return d, nil
}

func field(row files.Row, name, flag string) (string, error) {
	if !row.Has(name) {
		return "", fmt.Errorf("it has no field %q: name the one to use with %s", name, flag)
	}
	return row.Text(name)
}

// File routes the answers of a file.
func (r *Router) File(ctx context.Context, path string) error {
	err := files.Each(ctx, files.Options{Path: path}, func(row files.Row) error {
		if err := r.answer(row); err != nil {
			return fmt.Errorf("%s, row %d: %w", path, row.Number, err)
		}
		return nil
	})
	return fault.Data.Wrap(err)
}

// One decides about one JSON object, as Stream does. Options name its fields, and the seed.
func (r *Rule) One(object []byte, o Options) (d Decision, err error) {
	values, err := files.Object(object)
	if err == nil {
		emit := func(decided Decision) error { d = decided; return nil }
		err = r.router(o, emit, func(string) {}).answer(files.Row{Values: values})
	}
	return d, fault.Data.Wrap(err)
}

// Stream routes answers as they come, JSON objects or cells under a header. An error names the
// line; all earlier lines are decided.
func (r *Router) Stream(ctx context.Context, from io.Reader) error {
	head, line, err := files.EachStreamed(ctx, "standard input", from, r.answer)
	if err != nil || r.recognised || head == "" {
		return fault.Data.Wrap(err)
	}
	for _, name := range append([]string{r.options.Confidence}, outcomes.Names("confidence")...) {
		if name != "" && strings.Contains(strings.ToLower(head), strings.ToLower(name)) {
			return nil // a table without rows
		}
	}
	return fault.Data.Wrap(fmt.Errorf("line %d: %q is neither a JSON object nor the header of a table with a confidence: "+
		"write one object a line, or a table with a column %s", line, head, "confidence"))
}
