package reports

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/pool"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/metrics/infer"
)

// Headline is what a cascade, or a pool, came to on one dataset: what a reader wants to know first.
type Headline struct {
	Cascade string // or the pool
	Dataset string
	Models  []string
	Pool    bool // of a pool: it has a sentence and no rows
	Verdict Verdict

	Result      string   // what came out, in numbers with intervals
	Remarks     []string // what else bears on it: guarantees, better baselines, a chain's middle model
	Sufficiency string   // what tells more than the confidence, where something was found
	Action      string   // what to do

	// The rows behind it; nil where there is none.
	Student, Master, Ours *result.Row

	Caveats []Concern // all that bear on it, the gravest first
}

// Sentence is the headline in words.
func (h *Headline) Sentence() string {
	parts := slices.Concat([]string{h.Result}, h.Remarks, []string{h.Sufficiency, h.Action})
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " ")
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

var verdictWords = map[Verdict]string{
	WorthIt: "worth it", ErrsMore: "errs more", NotWorthIt: "not worth it", NotShown: "not shown",
	SameAs: "single model", ErrsLess: "errs less", Infeasible: "infeasible", Incomplete: "incomplete",
	NoSignal: "no signal", TooFew: "too few records", Nothing: "no result",
}

// Word is the verdict as tables and pages write it.
func (v Verdict) Word() string { return verdictWords[v] }

// Headlines says what each cascade came to on each dataset, in the order of the results, then each pool.
// Everything is read from the results as results.json holds them, so that a run and its file give the same.
func Headlines(s *result.Results) []Headline {
	var all []Headline
	for _, p := range places(s) {
		all = append(all, headline(p))
	}
	for i := range s.Pools {
		p := &s.Pools[i]
		for k := range p.Datasets {
			all = append(all, poolHeadline(s, p, &p.Datasets[k]))
		}
	}
	return all
}

// outcome is one cascade on one dataset, with the row that its headline is about; nil = there is none.
type outcome struct {
	place
	ours *result.Row
}

func headline(p place) Headline {
	o := &outcome{p, mainRow(p.c, p.d)}
	h := Headline{Cascade: p.c.Name, Dataset: p.d.Name, Models: p.c.Models, Ours: o.ours,
		Student: p.d.Row(string(baseline.None)), Master: p.d.Row(string(baseline.All))}
	o.conclude(&h)
	notes := datasetNotes(p.d)
	if o.ours != nil {
		notes = append(notes, rowNotes(p.c, p.d, o.ours)...)
	}
	h.Caveats = slices.DeleteFunc(weigh(notes), func(c Concern) bool { return slices.Contains(said[h.Verdict], c.Kind) })
	return h
}

// said are the caveats that a headline's own words are about.
var said = map[Verdict][]note.Kind{
	Infeasible: {"infeasible"}, Incomplete: {"missing"}, NoSignal: {"near-zero", "chance"}, TooFew: {"small"},
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
	if len(c.Models) > 2 {
		return d.Row(ourChain)
	}
	return cmp.Or(d.Row(ourMulti), d.Row(ourSingle))
}

// strongest is the baseline that saves most at our error; nil = none was matched.
func (o *outcome) strongest() *result.Matched {
	var out *result.Matched
	for i := range o.d.Matched {
		m := &o.d.Matched[i]
		if o.ours == nil || m.Ours != o.ours.Policy || m.Error.Fitted.Clipped || !finite(m.Error.Fitted.Saved) {
			continue
		}
		if r := o.d.Row(m.Baseline); r == nil || !rivals(r) {
			continue
		}
		if out == nil || m.Error.Fitted.Saved.Value > out.Error.Fitted.Saved.Value {
			out = m
		}
	}
	return out
}

func rivals(r *result.Row) bool {
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

// poolHeadline is a pool on one dataset. Its verdict is the best that can be said of any cascade of it.
func poolHeadline(s *result.Results, p *result.Pool, d *result.PoolDataset) Headline {
	h := Headline{Cascade: p.Name, Dataset: d.Name, Models: p.Models, Pool: true}
	if p.Incomplete && d.Counts.Used < d.Counts.Records {
		h.incomplete(d.Counts)
		return h
	}
	h.Verdict = NotWorthIt
	for _, saving := range d.Savings {
		switch v := saving.Rival; {
		case v == nil || v.Verdict == string(pool.NotWorthIt) || h.Verdict == WorthIt:
		case v.Verdict == string(pool.WorthIt):
			h.Verdict = WorthIt
		default:
			h.Verdict = NotShown
		}
	}
	h.Result = sentence(poolVerdict(d))
	h.Action = notTheirs(s, p.Models)
	h.Caveats = weigh(poolNotes(d))
	return h
}
