package analyze

import (
	"fmt"
	"maps"
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
	"infnet/harness/router"
	"infnet/harness/spec"
	"infnet/harness/split"
	"infnet/harness/task"
)

// student is the place of a cascade's first model; last is that of its master.
const student = 0

// Bench is one cascade on one dataset: its records as all its models saw them,
// and all that was made of them. Slices by example are in the dataset's order,
// those by model in the cascade's.
type Bench struct {
	Cascade *spec.Cascade
	Dataset *spec.Dataset

	in       Input
	set      *dataset.Set
	sheet    *question.Sheet
	chain    *Bench // whose records these are; nil = its own
	first    *Bench // of a repeated split: the bench of the first; nil = this is it
	repeat   int    // which of the repeated splits, from 0
	cols     []*column
	models   []*spec.Model
	readings [][]confidence.Reading
	texts    [][]string // generation: the extracted answers
	vectors  [][][]float32
	grades   [][]task.Grade
	costs    [][]float64
	counts   [][]cost.Counts // of tokens, which costs rest on
	refs     []task.Reference
	lost     map[lossID]int
	unfit    map[answerID]string // answers that do not count, and why
	used     []bool

	parts       split.Parts
	fit, test   []int // used examples of each part
	scales      []confidence.Scale
	calibrators []confidence.Calibrator // of all but the last model
	beta        [][]float64             // of all but the last model, calibrated; out of fold on the fit part
	summary     []float64               // cost of an answer

	fitted    []Fitted
	serial    *policy.SeriesPolicy // of three models or more; nil where there are two
	mixture   *policy.Mixture      // nil = not fitted
	pairs     []pairing            // the pairs that a chain contains
	form      *population.FormLoss // of the generalised policy; nil = not fitted
	budgets   []string             // rows whose budget is not that of the single threshold (target min)
	decisions []Decided
	learned   []learnedPolicy // baselines that learn, in the study's order
	trained   []Trained
	fits      map[string]*router.Fitted // by what they depend on: rows that differ in their thresholds alone share one
	families  []family                  // of rows that have a curve
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
	Defer map[int]bool // by example: is the last model asked? Absent = nothing was decided about it
	Paths map[int]path // by example, for rows of more than two models or in parallel; nil for others
	Theta []float64    // of chains, by stage

	// Of policies that compare a score of their own with one threshold.
	Scores map[int]float64 // by example; out of fold on the fit part
	Cut    float64
}

// path is whom one query asked, in this order, and whose answer stands.
type path struct {
	asked  []int // places in the cascade
	stands int
}

type lossID struct{ model, cause string }

type answerID struct{ example, model int }

// newBench prepares a bench: which records are used, and what each model made
// of them. A pair that a chain contains uses the chain's records, those that
// all its models answered.
func newBench(in Input, c *spec.Cascade, name string, cols table, chain *Bench) (*Bench, error) {
	d, _ := in.Study.Dataset(name)
	sheet := in.Sheets[name]
	b := &Bench{Cascade: c, Dataset: d, in: in, set: sheet.Set, sheet: sheet, chain: chain}
	if n := len(c.Models); n < 2 {
		return nil, fmt.Errorf("%d models: a cascade has two or more", n)
	}
	for _, m := range c.Models {
		b.cols = append(b.cols, cols[columnID{m, name}])
		known, _ := in.Study.Model(m)
		b.models = append(b.models, known)
	}
	return b, b.prepare()
}

// prepare chooses and splits the records, and does what comes before policies.
func (b *Bench) prepare() error {
	n := len(b.cols)
	b.lost, b.unfit = map[lossID]int{}, map[answerID]string{}
	b.readings, b.texts, b.vectors = make([][]confidence.Reading, n), make([][]string, n), make([][][]float32, n)
	b.grades, b.costs = make([][]task.Grade, n), make([][]float64, n)
	b.counts = make([][]cost.Counts, n)
	b.scales, b.summary = make([]confidence.Scale, n), make([]float64, n)
	b.choose()
	for _, step := range []func() error{b.split, b.read, b.grade, b.learnConfidence, b.price, b.calibrate} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// last is the place of the last model, the master.
func (b *Bench) last() int { return len(b.cols) - 1 }

// choose decides which examples are used: those of the chain, or those that
// every model answered.
func (b *Bench) choose() {
	if b.chain != nil {
		b.used, b.lost = slices.Clone(b.chain.used), maps.Clone(b.chain.lost)
		return
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
}

// lose takes an example out, for a cause of one model.
func (b *Bench) lose(example, model int, cause string) {
	b.used[example] = false
	b.lost[lossID{b.Cascade.Models[model], cause}]++
}

// refuse takes an example out because a model's answer to it does not count. A
// pair uses the records of its chain, which has counted them.
func (b *Bench) refuse(example, model int, why string) {
	b.unfit[answerID{example, model}] = why
	if b.chain == nil {
		b.lose(example, model, why)
	}
}

// split divides all examples, answered or not, so that who fits does not
// depend on who failed; then keeps the used ones.
func (b *Bench) split() error {
	var err error
	b.parts, err = b.sheet.Split(b.in.Study.Seed, b.repeat)
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
	return fmt.Sprintf("%d records fit and %d test: too few answers to analyse (missing: %s); collect them (--retry-failed asks again for what failed), or raise the limit",
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
	order := b.Cascade.Models
	if b.chain != nil {
		order = b.chain.Cascade.Models
	}
	var out []result.Missing
	for id, n := range b.lost {
		out = append(out, result.Missing{Model: id.model, Cause: id.cause, Count: n})
	}
	slices.SortFunc(out, func(x, y result.Missing) int {
		if x.Model != y.Model {
			return slices.Index(order, x.Model) - slices.Index(order, y.Model)
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
			why := b.little(a)
			if m < b.last() && a.NoLogprobs || err != nil {
				why, reading = "no usable log-probability", confidence.Reading{}
			}
			b.readings[m][i] = reading
			if why != "" {
				b.refuse(i, m, why)
			}
		}
	}
	return b.keep()
}

// learnConfidence fits the regression of the score quantiles, which needs to
// know who is right: the fit part's confidences come from regressions that did
// not see them, the test part's from one that saw the whole fit part.
func (b *Bench) learnConfidence() error {
	if b.score() != confidence.Quantiles {
		return nil
	}
	items := b.items(b.fit)
	folds, err := split.KFold(split.FoldOptions{Seed: b.in.Study.Seed, Name: b.streamName() + "/quantiles", K: calibrationFolds}, items)
	if err != nil {
		return fmt.Errorf("confidence %s: %w", confidence.Quantiles, err)
	}
	b.parts.Graph = b.parts.Graph.With(folds.Roles("quantiles", items)...)
	for m := range b.last() {
		if b.confidenceName(m) == "given" {
			continue // every answer states its own
		}
		var readings []*confidence.Reading
		var right []bool
		for _, i := range b.fit {
			readings, right = append(readings, &b.readings[m][i]), append(right, b.grades[m][i].Correct)
		}
		if err := b.scales[m].Learn(readings, right, folds.Of); err != nil {
			return fmt.Errorf("confidence of %s: %w", b.Cascade.Models[m], err)
		}
		for _, i := range b.test {
			if b.readings[m][i], err = b.scales[m].Read(*b.cols[m].answers[i]); err != nil {
				return fmt.Errorf("confidence of %s: %w", b.Cascade.Models[m], err)
			}
		}
	}
	return nil
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
		b.counts[m] = make([]cost.Counts, len(b.set.Examples))
		for i, a := range b.cols[m].answers {
			if !b.used[i] {
				continue
			}
			b.counts[m][i] = b.tokens(i, m, a)
			c, err := cost.PerAnswer(s.Cost.Model, basis, b.counts[m][i], a.Latency)
			if err != nil {
				return fmt.Errorf("model %s, record %s: %w", model.Name, b.set.Examples[i].ID, err)
			}
			b.costs[m][i] = c
		}
		b.estimated(m)
		if err := b.pad(m, basis); err != nil {
			return fmt.Errorf("model %s: %w", model.Name, err)
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
		known := result.Cost{Model: model.Name, Value: b.summary[m], Mean: mean}
		if s.Cost.Model == cost.TFLOPs && params >= 1 {
			if known.Signature, err = cost.Summarise(cost.Signature, fit, params); err != nil {
				return fmt.Errorf("model %s: %w", model.Name, err)
			}
		}
		b.out.Costs = append(b.out.Costs, known)
	}
	return nil
}

// calibrationFolds is the number of folds by which confidences of the fit part
// are calibrated out of fold.
const calibrationFolds = 5

// calibrate makes the final confidences of all models but the last: the fit
// part's come from calibrators that did not see them, the test part's from one
// that saw the whole fit part.
func (b *Bench) calibrate() error {
	method := b.in.Study.Policy.Calibration
	if method == "" {
		method = confidence.NoCalibration
	}
	var folds split.Folds
	if method != confidence.NoCalibration {
		items := b.items(b.fit)
		var err error
		folds, err = split.KFold(split.FoldOptions{Seed: b.in.Study.Seed, Name: b.streamName() + "/calibration", K: calibrationFolds}, items)
		if err != nil {
			return fmt.Errorf("calibration: %w", err)
		}
		b.parts.Graph = b.parts.Graph.With(folds.Roles("calibration", items)...)
	}
	for m := range b.last() {
		if err := b.calibrateModel(m, method, folds.Of); err != nil {
			return fmt.Errorf("calibration of %s: %w", b.Cascade.Models[m], err)
		}
	}
	return nil
}

// calibrateModel makes one model's final confidences.
func (b *Bench) calibrateModel(m int, method confidence.Calibration, folds []int) error {
	beta := make([]float64, len(b.set.Examples))
	for i, used := range b.used {
		if used {
			beta[i] = b.readings[m][i].Beta
		}
	}
	b.beta = append(b.beta, beta)
	b.calibrators = append(b.calibrators, confidence.Calibrator{Method: method})
	if method == confidence.NoCalibration {
		return nil
	}
	sample := confidence.Sample{Classes: max(1, len(b.Dataset.Labels))} // a task without classes has one
	for _, i := range b.fit {
		r := b.readings[m][i]
		sample.Beta = append(sample.Beta, r.Beta)
		sample.Class = append(sample.Class, r.Class)
		sample.Correct = append(sample.Correct, truth(b.grades[m][i].Correct))
		sample.Probs = append(sample.Probs, r.Probs)
		sample.Truth = append(sample.Truth, max(0, b.refs[i].Class))
	}
	calibrator, out, err := confidence.CrossFit(method, sample, folds)
	if err != nil {
		return err
	}
	b.calibrators[m] = calibrator
	for k, i := range b.fit {
		beta[i] = out[k]
	}
	for _, i := range b.test {
		beta[i] = calibrator.Apply(b.readings[m][i])
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
