package analyze

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/dataset"
	"infnet/harness/policy"
	"infnet/harness/population"
	"infnet/harness/question"
	"infnet/harness/result"
	"infnet/harness/seed"
	"infnet/harness/spec"
	"infnet/harness/task"
)

// The places of a cascade's models.
const (
	student = 0
	master  = 1
)

// Bench is one cascade on one dataset: its records as both models saw them,
// and all that was made of them. Slices by example are in the dataset's order.
type Bench struct {
	Cascade *spec.Cascade
	Dataset *spec.Dataset

	in       Input
	set      *dataset.Set
	sheet    *question.Sheet
	cols     [2]*column
	models   [2]*spec.Model
	readings [2][]confidence.Reading
	texts    [2][]string // generation: the extracted answers
	vectors  [2][][]float32
	grades   [2][]task.Grade
	costs    [2][]float64
	refs     []task.Reference
	lost     map[lossID]int
	used     []bool

	parts      seed.Parts
	fit, test  []int // used examples of each part
	scales     [2]confidence.Scale
	calibrator confidence.Calibrator
	beta       []float64  // the student's, calibrated; out of fold on the fit part
	summary    [2]float64 // c_s and c_m

	fitted    []Fitted
	form      *population.FormLoss // of the generalised policy; nil = not fitted
	budgets   []string             // rows whose budget is not that of the single threshold (target min)
	decisions []Decided
	out       result.Dataset
}

// Fitted is a fitted policy and the row it belongs to.
type Fitted struct {
	Name    string
	Policy  policy.Policy
	Promise *policy.Guaranteed // of certified rows; Policy is its policy
}

// Decided is what a row's policy decided about examples.
type Decided struct {
	Name  string
	Defer map[int]bool // by example; absent = it decided nothing about it
}

type lossID struct{ model, cause string }

// newBench prepares a bench: which records are used, and what each model made
// of them.
func newBench(in Input, c *spec.Cascade, name string, cols table) (*Bench, error) {
	d, _ := in.Study.Dataset(name)
	sheet := in.Sheets[name]
	b := &Bench{Cascade: c, Dataset: d, in: in, set: sheet.Set, sheet: sheet, lost: map[lossID]int{}}
	if len(c.Models) != len(b.cols) {
		return nil, fmt.Errorf("%d models: a cascade has two in this version", len(c.Models))
	}
	for i, m := range c.Models {
		b.cols[i] = cols[columnID{m, name}]
		b.models[i], _ = in.Study.Model(m)
	}
	n := len(b.set.Examples)
	b.used = make([]bool, n)
	for i := range n {
		b.used[i] = true
		for m := range b.cols {
			if b.cols[m].answers[i] == nil {
				b.lose(i, m, b.cols[m].causes[i])
			}
		}
	}
	if err := b.split(); err != nil {
		return nil, err
	}
	for _, step := range []func() error{b.read, b.grade, b.price, b.calibrate} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// lose takes an example out, for a cause of one model.
func (b *Bench) lose(example, model int, cause string) {
	b.used[example] = false
	b.lost[lossID{b.Cascade.Models[model], cause}]++
}

// split divides all examples, answered or not, so that who fits does not
// depend on who failed; then keeps the used ones.
func (b *Bench) split() error {
	all := make([]int, len(b.set.Examples))
	for i := range all {
		all[i] = i
	}
	var err error
	b.parts, err = seed.Split(seed.SplitOptions{
		Seed: b.in.Study.Seed, Name: b.Dataset.Name, Fit: b.Dataset.Split.Fit,
		Order: seed.Order(b.Dataset.Split.Order), Stratify: b.Dataset.Split.Stratify,
	}, b.items(all))
	return err
}

// keep drops examples that are no longer used from both parts.
func (b *Bench) keep() error {
	pick := func(list []int) []int {
		var out []int
		for _, i := range list {
			if b.used[i] {
				out = append(out, i)
			}
		}
		return out
	}
	b.fit, b.test = pick(b.parts.Fit), pick(b.parts.Test)
	if len(b.fit) == 0 || len(b.test) == 0 {
		return &TooFewError{Fit: len(b.fit), Test: len(b.test), Missing: b.losses()}
	}
	return nil
}

// TooFewError says that a part has no record left that every model answered.
// Callers may branch on it to choose an exit code.
type TooFewError struct {
	Fit, Test int    // records left
	Missing   string // by model and cause
}

func (e *TooFewError) Error() string {
	return fmt.Sprintf("%d records fit and %d test: too few answers to analyse (missing: %s); collect them, or raise the limit",
		e.Fit, e.Test, e.Missing)
}

// losses lists causes and counts, for errors.
func (b *Bench) losses() string {
	if len(b.lost) == 0 {
		return "none"
	}
	text := ""
	for _, m := range b.missing() {
		text += fmt.Sprintf("%s %s ×%d; ", m.Model, m.Cause, m.Count)
	}
	return text[:len(text)-2]
}

// missing returns the losses in a fixed order.
func (b *Bench) missing() []result.Missing {
	var out []result.Missing
	for id, n := range b.lost {
		out = append(out, result.Missing{Model: id.model, Cause: id.cause, Count: n})
	}
	slices.SortFunc(out, func(x, y result.Missing) int {
		if x.Model != y.Model {
			return slices.Index(b.Cascade.Models, x.Model) - slices.Index(b.Cascade.Models, y.Model)
		}
		return strings.Compare(x.Cause, y.Cause)
	})
	return out
}

// incomplete reports whether more records lack an answer than the study allows.
func (b *Bench) incomplete() bool {
	lost := b.out.Counts.Records - b.out.Counts.Used
	return float64(lost) > b.in.Study.Collect.MaxMissing*float64(b.out.Counts.Records)
}

// read turns answers into confidences, classes and texts. What a scale has to
// learn it learns on the fit part.
func (b *Bench) read() error {
	if err := b.keep(); err != nil {
		return err
	}
	options := confidence.Options{Score: b.score(), IncludeEOS: b.in.Study.Confidence.IncludeEOS}
	for m := range b.cols {
		var seen []backends.Answer
		for _, i := range b.fit {
			seen = append(seen, *b.cols[m].answers[i])
		}
		var err error
		if b.scales[m], err = confidence.Fit(options, seen); err != nil {
			return fmt.Errorf("confidence of %s: %w", b.Cascade.Models[m], err)
		}
		n := len(b.set.Examples)
		b.readings[m] = make([]confidence.Reading, n)
		b.texts[m] = make([]string, n)
		for i, a := range b.cols[m].answers {
			if a == nil {
				continue
			}
			b.texts[m][i] = task.Extract(a.Text, b.Dataset.Stop)
			reading, err := b.scales[m].Read(*a)
			if m == student && a.NoLogprobs || err != nil {
				b.lose(i, m, "no usable log-probability")
				continue
			}
			b.readings[m][i] = reading
		}
	}
	return b.keep()
}

// score returns the confidence score of the dataset's kind.
func (b *Bench) score() confidence.Score {
	if b.Dataset.Task == task.Classification {
		return b.in.Study.Confidence.Classification
	}
	return b.in.Study.Confidence.Generation
}

// price computes what every answer cost, and the constants of the fit part.
func (b *Bench) price() error {
	s := b.in.Study
	for m, model := range b.models {
		basis := cost.Basis{Prices: cost.Prices{Input: model.PriceIn, Output: model.PriceOut}}
		params := model.Params
		if shape := b.in.Models[model.Name].Shape; shape != nil {
			basis.Shape = *shape
			if params == 0 {
				params = shape.Params
			}
		}
		if model.Fixed != nil {
			basis.Fixed = *model.Fixed
		}
		if err := basis.Check(s.Cost.Model); err != nil {
			return fmt.Errorf("model %s: %w", model.Name, err)
		}
		b.costs[m] = make([]float64, len(b.set.Examples))
		for i, a := range b.cols[m].answers {
			if !b.used[i] {
				continue
			}
			c, err := cost.PerAnswer(s.Cost.Model, basis, a.Usage, a.Latency)
			if err != nil {
				return fmt.Errorf("model %s, record %s: %w", model.Name, b.set.Examples[i].ID, err)
			}
			b.costs[m][i] = c
		}
		fit := pick(b.costs[m], b.fit)
		var err error
		if b.summary[m], err = cost.Summarise(s.Cost.Summary, fit, params); err != nil {
			return fmt.Errorf("model %s: %w", model.Name, err)
		}
		mean, err := cost.Summarise(cost.Mean, fit, params)
		if err != nil {
			return fmt.Errorf("model %s: %w", model.Name, err)
		}
		b.out.Costs = append(b.out.Costs, result.Cost{Model: model.Name, Value: b.summary[m], Mean: mean})
	}
	return nil
}

// calibrationFolds is the number of folds by which confidences of the fit part
// are calibrated out of fold.
const calibrationFolds = 5

// calibrate makes the student's final confidences: the fit part's come from
// calibrators that did not see them, the test part's from one that saw the
// whole fit part.
func (b *Bench) calibrate() error {
	n := len(b.set.Examples)
	b.beta = make([]float64, n)
	method := b.in.Study.Policy.Calibration
	sample := confidence.Sample{Classes: max(1, len(b.Dataset.Labels))} // a task without classes has one
	for _, i := range b.fit {
		r := b.readings[student][i]
		sample.Beta = append(sample.Beta, r.Beta)
		sample.Class = append(sample.Class, r.Class)
		sample.Correct = append(sample.Correct, 1-b.grades[student][i].Err)
		sample.Probs = append(sample.Probs, r.Probs)
		sample.Truth = append(sample.Truth, max(0, b.refs[i].Class))
	}
	for i := range n {
		if b.used[i] {
			b.beta[i] = b.readings[student][i].Beta
		}
	}
	if method == "" || method == confidence.NoCalibration {
		b.calibrator.Method = confidence.NoCalibration
		return nil
	}
	items := b.items(b.fit)
	folds, err := seed.KFold(seed.FoldOptions{Seed: b.in.Study.Seed, Name: b.Dataset.Name + "/calibration", K: calibrationFolds}, items)
	if err != nil {
		return fmt.Errorf("calibration: %w", err)
	}
	b.parts.Graph = b.parts.Graph.With(folds.Roles("calibration", items)...)
	var out []float64
	if b.calibrator, out, err = confidence.CrossFit(method, sample, folds.Of); err != nil {
		return err
	}
	for k, i := range b.fit {
		b.beta[i] = out[k]
	}
	for _, i := range b.test {
		b.beta[i] = b.calibrator.Apply(b.readings[student][i])
	}
	return nil
}

// pick returns column[i] for the given examples.
func pick[T any](column []T, examples []int) []T {
	out := make([]T, len(examples))
	for k, i := range examples {
		out[k] = column[i]
	}
	return out
}

// fraction writes a number as its shortest decimal.
func fraction(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
