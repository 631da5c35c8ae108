package reports

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/result"
	"infnet/metrics/infer"
)

// Headline is what a cascade, or a pool, came to on one dataset: what a reader wants to know first.
type Headline struct {
	Cascade string   `json:"cascade"` // or the pool
	Dataset string   `json:"dataset"`
	Models  []string `json:"models"`
	Within  string   `json:"within,omitempty"` // the chain that contains this pair
	Pool    bool     `json:"pool,omitempty"`   // of a pool: it has a sentence and no lines
	Verdict Verdict  `json:"verdict"`

	Result string `json:"result"` // what came out, in numbers with intervals
	// what else bears on it: guarantees, better baselines, a chain's middle model
	Remarks     []string `json:"remarks,omitempty"`
	Sufficiency string   `json:"sufficiency,omitempty"` // whether more than the confidence would help, where it was tested
	Action      string   `json:"action"`                // what to do

	Flips []string `json:"flips,omitempty"` // what would change these sentences

	// The figures behind it; nil where there is no such row.
	Student *Line `json:"student,omitempty"`
	Master  *Line `json:"master,omitempty"`
	Ours    *Line `json:"ours,omitempty"`
	Best    *Line `json:"best_baseline,omitempty"`

	Caveats []Concern `json:"caveats,omitempty"` // all that bear on it, the gravest first

	why   string // the part of Result that is no number of the table of outcomes
	brief string // the sentence beside that table; see Brief
}

// Sentence is the headline in words.
func (h *Headline) Sentence() string { return h.with(h.Result, h.Sufficiency, h.Action) }

// Brief is the headline beside the table of outcomes: without its numbers, and tests that found nothing.
func (h *Headline) Brief() string { return cmp.Or(h.brief, h.Sentence()) }

func (h *Headline) with(result, tested, action string) string {
	parts := append(append([]string{result}, h.Remarks...), tested, action)
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " ")
}

// Line is a row of a table of policies.
type Line struct {
	Policy      string           `json:"policy"`
	Title       string           `json:"title"`
	Metrics     []string         `json:"metrics"`
	Performance []infer.Interval `json:"performance"` // by metric
	Saved       infer.Interval   `json:"saved_pct"`
	Error       infer.Interval   `json:"error"`
	Deferred    infer.Interval   `json:"deferred"`
}

// Verdict is a headline for programs.
type Verdict string

// The verdicts. The first six are those of package pool, on records that had no part in the choice of thresholds.
const (
	WorthIt    Verdict = "worth-it"
	ErrsMore   Verdict = "errs-more" // or more than the study allows
	NotWorthIt Verdict = "not-worth-it"
	NotShown   Verdict = "not-shown"
	SameAs     Verdict = "same"
	ErrsLess   Verdict = "errs-less"
	Infeasible Verdict = "infeasible" // no thresholds meet the budget on the fit part
	Incomplete Verdict = "incomplete" // more answers are missing than the study allows
	NoSignal   Verdict = "no-signal"  // the models cannot do the task
	TooFew     Verdict = "too-few"    // hardly any test records
	Nothing    Verdict = "no-result"  // there are no numbers
)

// Word is the verdict as tables and pages write it.
func (v Verdict) Word() string { return verdictWords[v] }

// Headlines says what each cascade came to on each dataset, in the order of the results, then each pool.
// Everything is read from the results as results.json holds them, so that a run and its file give the same.
func Headlines(s *result.Results) []Headline {
	var all []Headline
	for i := range s.Cascades {
		c := &s.Cascades[i]
		for k := range c.Datasets {
			all = append(all, headline(&outcome{s: s, c: c, d: &c.Datasets[k]}))
		}
	}
	for i := range s.Pools {
		p := &s.Pools[i]
		for k := range p.Datasets {
			all = append(all, poolHeadline(s, p, &p.Datasets[k]))
		}
	}
	return all
}

// outcome is one cascade on one dataset, with the rows that its headline is about.
type outcome struct {
	s *result.Results
	c *result.Cascade
	d *result.Dataset

	ours, student, master *result.Row
}

func headline(o *outcome) Headline {
	o.ours, o.student, o.master = mainRow(o.c, o.d), o.row(string(baseline.None)), o.row(string(baseline.All))
	h := Headline{Cascade: o.c.Name, Dataset: o.d.Name, Models: o.c.Models, Within: o.c.Within}
	h.Student, h.Master, h.Ours = o.line(o.student), o.line(o.master), o.line(o.ours)
	h.Best = o.line(o.best())
	o.conclude(&h)
	h.Caveats = o.concerns(h.Verdict)
	return h
}

// row returns a row by its identifier; nil if there is none.
func (o *outcome) row(policy string) *result.Row {
	for i := range o.d.Rows {
		if o.d.Rows[i].Policy == policy {
			return &o.d.Rows[i]
		}
	}
	return nil
}

// The identifiers of our rows.
const (
	ourChain  = "chain"
	ourMulti  = "multi"
	ourSingle = "single"
)

// mainRow is the row that a dataset's headline is about: of chains the chain, else a threshold per
// class, else one threshold. It is not chosen by what came out.
func mainRow(c *result.Cascade, d *result.Dataset) *result.Row {
	for _, name := range []string{ourChain, ourMulti, ourSingle} {
		for i := range d.Rows {
			if d.Rows[i].Policy == name && (name == ourChain) == (len(c.Models) > 2) {
				return &d.Rows[i]
			}
		}
	}
	return nil
}

func (o *outcome) line(r *result.Row) *Line {
	if r == nil {
		return nil
	}
	l := &Line{Policy: r.Policy, Title: r.Title, Metrics: o.d.Metrics, Saved: r.Saved, Error: r.Error,
		Deferred: r.Deferred}
	for _, m := range o.d.Metrics {
		iv, ok := r.Metrics[m]
		if !ok {
			iv = infer.Interval{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
		}
		l.Performance = append(l.Performance, iv)
	}
	return l
}

// best is the best baseline: the one that saves most when its threshold is fitted to the error of ours on
// the fit part; where nothing was matched, of a chain the best pair that it contains, else the one with
// the best performance. The first and the last are picked on the test part, which favours them. Oracles, and
// rows that ask one model for everything, do not compete.
func (o *outcome) best() *result.Row {
	var best *result.Row
	most, by := math.Inf(-1), func(r *result.Row) float64 {
		if len(o.d.Metrics) == 0 {
			return -r.Error.Value
		}
		return r.Metrics[o.d.Metrics[0]].Value
	}
	if m := o.strongest(); m != nil {
		return o.row(m.Baseline)
	}
	if o.d.Extra != nil {
		return o.row(o.d.Extra.Pair)
	}
	for i := range o.d.Rows {
		r := &o.d.Rows[i]
		if v := by(r); o.rivals(r) && v > most {
			best, most = r, v
		}
	}
	return best
}

// strongest is the baseline that saves most at our error; nil = none was matched.
func (o *outcome) strongest() *result.Matched {
	var out *result.Matched
	for i := range o.d.Matched {
		m := &o.d.Matched[i]
		if o.ours == nil || m.Ours != o.ours.Policy || m.Error.Fitted.Clipped || !finite(m.Error.Fitted.Saved) {
			continue
		}
		if r := o.row(m.Baseline); r == nil || !o.rivals(r) {
			continue
		}
		if out == nil || m.Error.Fitted.Saved.Value > out.Error.Fitted.Saved.Value {
			out = m
		}
	}
	return out
}

// rivals reports whether a row competes for the best baseline.
func (o *outcome) rivals(r *result.Row) bool {
	base := baseline.Of(baseline.Kind(r.Policy))
	return r.Baseline && competes(r) && r.Compared == nil && !base.Constant && !strings.HasPrefix(r.Policy, "only-")
}

// finite reports whether an interval can be printed and compared.
func finite(iv infer.Interval) bool {
	for _, v := range []float64{iv.Value, iv.Low, iv.High} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
