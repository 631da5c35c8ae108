// Package records prepares the records of one cascade on one dataset, as
// columns by example: every model's answer, its confidence, whether it is right,
// and its cost; and the role of every record: fit or test, and each fold and half
// of the fit part.
//
// It fits no policy and writes no result, and Records are immutable after Prepare.
// Its opinion: a record counts only if every model of its cascade answered it,
// everything is fitted on the fit part alone, and all roles are known, and hashed
// once, before anything is measured.
package records

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/dataset"
	"infnet/harness/question"
	"infnet/harness/spec"
	"infnet/harness/split"
	"infnet/harness/store"
	"infnet/harness/task"
	"infnet/metrics"
)

// Input is everything that records are prepared from.
type Input struct {
	Study   *spec.Study
	Facts   map[string]Facts           // by model name in the study
	Sheets  map[string]*question.Sheet // by dataset name
	Sources map[string]string          // by dataset name: the dataset's hash in the store
	Store   *store.Store
	Vectors *store.Vectors    // embeddings; nil where no metric, rule or test needs them
	Scores  *store.Scores     // of pairs of texts, by the study's scorer; nil where nothing is scored
	Judge   *question.Judge   // nil = no model grades
	Human   Human             // people's grades of some answers that the judge grades
	Graders map[string]Grades // by dataset name: where a program grades
}

// Grades are those of a program, of the answers to a dataset.
type Grades struct {
	Digest string // of its files
	Grades *store.Grades
}

// Facts are what is known about a model without calling it.
type Facts struct {
	ID     backends.ModelID
	Shape  *backends.Shape // nil = unknown
	Served []store.Served  // what was found behind its servers, the first finding first

	// Unconfirmed says what could not be confirmed about the models behind the
	// study's URLs; "" = all confirmed, or there are no URLs.
	Unconfirmed string
}

// Records are the records of one cascade on one dataset. Slices by example are
// in the dataset's order, Models in the cascade's.
type Records struct {
	Study   *spec.Study
	Cascade *spec.Cascade
	Dataset *spec.Dataset
	Sheet   *question.Sheet
	Set     *dataset.Set
	Repeat  int // which of the repeated splits, from 0

	Models    []Model
	Used      []bool
	Lost      []Loss // examples that are not used, by model and cause
	Fit, Test []int  // used examples of each part
	Roles     Roles

	in     Input
	judged map[answered]question.Judgement // of the answers that the rules leave to the judge
	chain  *Records                        // the chain that contains this pair; nil = none does
}

// preparation builds Records. Nothing else writes to them.
type preparation struct {
	*Records
	first  *Records // whose answers these are too; nil = none
	keep   func(fit, test []int) ([]int, []int)
	lost   map[Loss]int
	byRule *task.Grader // of samples: by the rule, without metrics
}

// Model is one model of a cascade, with its answers and their grades.
type Model struct {
	Spec  *spec.Model
	Facts Facts
	*Answers

	Class  []int                      // classification: the class said; 0 where the answer is not usable
	Raw    []float64                  // confidence as read
	Beta   []float64                  // calibrated, out of fold on the fit part; the last model's is as read
	Errs   []float64                  // in [0,1]
	Scores map[metrics.Name][]float64 // of the metrics that every record has
	Costs  []float64
	// the rule that decided, "" = none could, or there was no answer; nil where every answer is read and decided on
	By []task.Rule
	// measured; nil = not of every used answer
	Seconds []float64

	// samples that are right, by example; nil = the model is asked once, or its samples cannot be judged by themselves
	Passed []int

	right   []bool
	refused map[int]string // why an answer does not count

	Scale      confidence.Scale
	Calibrator confidence.Calibrator // none for the last model
	Cost       Cost
}

// Cost is the cost of a model's answer on the fit part.
type Cost struct {
	Summary   float64 // as the study sums costs up
	Mean      float64
	Signature float64 // in TFLOPs, by parameters; 0 = unknown
}

// Loss counts the examples that are not used because of one model, by cause.
type Loss struct {
	Model, Cause string
	Count        int
}

// student is the position of a cascade's first model.
const student = 0

// Prepare prepares the records of a cascade on a dataset. A pair that chain
// contains uses the chain's records, those that all its models answered;
// chain = nil for all others.
func Prepare(in Input, answers Table, c *spec.Cascade, dataset string, chain *Records) (*Records, error) {
	d, _ := in.Study.Dataset(dataset)
	sheet := in.Sheets[dataset]
	r := &Records{
		Study: in.Study, Cascade: c, Dataset: d, Sheet: sheet, Set: sheet.Set,
		Models: make([]Model, len(c.Models)), in: in, chain: chain,
	}
	if n := len(c.Models); n < 2 {
		return nil, fmt.Errorf("%d models: a cascade has two or more", n)
	}
	for m, name := range c.Models {
		known, _ := in.Study.Model(name)
		r.Models[m] = Model{Spec: known, Facts: in.Facts[name], Answers: answers[AnswersID{name, dataset}]}
	}
	return r, prepare(&preparation{Records: r})
}

// Variation is what differs from records whose answers are taken.
type Variation struct {
	Study  *spec.Study // may differ in its seed, its policy and the rules of its datasets
	Repeat int         // which of the repeated splits, from 0

	// Keep takes records of the fit and the test part, of which those stay that it returns; nil = all stay.
	Keep func(fit, test []int) ([]int, []int)
}

// Vary prepares the same answers otherwise. Everything is fitted anew; grades stay where the rule does.
func Vary(r *Records, v Variation) (*Records, error) {
	n := &Records{
		Study: v.Study, Cascade: r.Cascade, Sheet: r.Sheet, Set: r.Set, Repeat: v.Repeat, in: r.in, chain: r.chain,
	}
	n.Dataset, _ = v.Study.Dataset(r.Dataset.Name)
	n.in.Study = v.Study
	for _, m := range r.Models {
		n.Models = append(n.Models, Model{Spec: m.Spec, Facts: m.Facts, Answers: m.Answers})
	}
	return n, prepare(&preparation{Records: n, first: r, keep: v.Keep})
}

// prepare finds the used records, those of the chain or those that every model answered, gives each its roles, and
// fills the columns.
func prepare(p *preparation) error {
	p.lost, p.Used = map[Loss]int{}, slices.Repeat([]bool{true}, len(p.Set.Examples))
	if p.chain != nil {
		copy(p.Used, p.chain.Used)
	}
	for i := 0; i < len(p.Used) && p.chain == nil; i++ {
		for m := range p.Models {
			if !p.Models[m].Has(i) {
				lose(p, i, m, p.Models[m].Cause(i))
			}
		}
	}
	parts, err := p.Sheet.Split(p.Study.Seed, p.Repeat)
	if err != nil {
		return err
	}
	again := func(p *preparation) error { return divide(p, parts) } // some answers were refused
	for _, step := range []func(*preparation) error{again, read, judge, again} {
		if err := step(p); err != nil {
			return err
		}
	}
	p.Lost = losses(p)
	if p.Roles, err = roles(p, parts); err != nil {
		return err
	}
	for _, step := range []func(*preparation) error{grade, learnConfidence, price, calibrate} {
		if err := step(p); err != nil {
			return err
		}
	}
	return nil
}

// lose removes an example, for a cause of one model.
func lose(p *preparation, example, model int, cause string) {
	p.Used[example] = false
	p.lost[Loss{Model: p.Cascade.Models[model], Cause: cause}]++
}

// refuse removes an example because a model's answer to it is refused. A pair uses
// the records of its chain, where the example is already counted.
func refuse(p *preparation, example, model int, why string) {
	p.Models[model].refused[example] = why
	if p.chain == nil {
		lose(p, example, model, why)
	}
}

// divide sets the used examples of both parts. All examples were split, answered or
// not, so that the split does not depend on failed answers.
func divide(p *preparation, parts split.Parts) error {
	used := func(part []int) []int {
		return slices.DeleteFunc(slices.Clone(part), func(i int) bool { return !p.Used[i] })
	}
	p.Fit, p.Test = used(parts.Fit), used(parts.Test)
	if p.keep != nil {
		p.Fit, p.Test = p.keep(p.Fit, p.Test)
	}
	if len(p.Fit) == 0 || len(p.Test) == 0 {
		return &TooFewError{Fit: len(p.Fit), Test: len(p.Test), Missing: losses(p), Recorded: p.Study.Recorded()}
	}
	return nil
}

func losses(p *preparation) []Loss {
	if p.chain != nil {
		return p.chain.Lost
	}
	var out []Loss
	for loss, n := range p.lost {
		loss.Count = n
		out = append(out, loss)
	}
	slices.SortFunc(out, func(x, y Loss) int {
		place := func(l Loss) int { return slices.Index(p.Cascade.Models, l.Model) }
		return cmp.Or(place(x)-place(y), strings.Compare(x.Cause, y.Cause))
	})
	return out
}

// TooFewError says that a part has no record left that every model answered.
// Callers may branch on it to choose an exit code.
type TooFewError struct {
	Fit, Test int // records left
	Missing   []Loss
	Recorded  bool // every model's answers are recorded ones
}

func (e *TooFewError) Error() string {
	missing := []string{"none"}
	if len(e.Missing) > 0 {
		missing = nil
	}
	for _, l := range e.Missing {
		missing = append(missing, fmt.Sprintf("%s %s ×%d", l.Model, l.Cause, l.Count))
	}
	fix := "collect them (--retry-failed asks again for what failed), or raise the limit"
	if e.Recorded {
		fix = "add them to the files of recorded answers, or raise the limit"
	}
	return fmt.Sprintf("%d records fit and %d test: too few answers to analyse (missing: %s); %s", e.Fit, e.Test,
		strings.Join(missing, "; "), fix)
}
