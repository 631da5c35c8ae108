package compare

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/accept"
	"infnet/harness/result"
)

// arm is one run's side of a pair.
type arm struct {
	*accept.Pair
	run   *accept.Run
	codes []int // of its labels, among the k of both runs
	k     int
}

// subject is a cascade's dataset in both runs.
type subject struct {
	old, now *arm
	pairs    [][2]int // places in the two test parts that are one record
	groups   []string // of the pairs; nil = every record is alone
}

func newSubject(oldRun, nowRun *accept.Run, old, now *accept.Pair) *subject {
	s := &subject{old: &arm{Pair: old, run: oldRun}, now: &arm{Pair: now, run: nowRun}}
	labels := slices.Clone(now.Labels)
	for _, a := range []*arm{s.now, s.old} {
		for _, name := range a.Labels {
			if !slices.Contains(labels, name) {
				labels = append(labels, name)
			}
			a.codes = append(a.codes, slices.Index(labels, name))
		}
	}
	s.old.k, s.now.k = len(labels), len(labels)
	s.pair()
	if now.Group == nil {
		return s
	}
	for i, p := range s.pairs {
		s.groups = append(s.groups, "alone "+strconv.Itoa(i))
		if g := now.Group[p[1]]; g >= 0 {
			s.groups[i] = strconv.Itoa(g)
		}
	}
	return s
}

// pair finds the records of the new test part in the old one: those of the same id, content and class. Where the
// contents are not known of both, or the prompts name other fields, ids decide alone.
func (s *subject) pair() {
	checked := s.old.Content != nil && s.now.Content != nil && s.sameFields()
	at := map[string]int{}
	for k, id := range s.old.IDs {
		at[id] = k
	}
	for i, id := range s.now.IDs {
		k, ok := at[id]
		if ok && (!checked || s.old.Content[k] == s.now.Content[i]) && s.old.truth(k) == s.now.truth(i) {
			s.pairs = append(s.pairs, [2]int{k, i})
		}
	}
}

// truth is the code of a record's class; −1 = it has none.
func (a *arm) truth(record int) int {
	if a.Class == nil || a.Class[record] < 0 {
		return -1
	}
	return a.codes[a.Class[record]]
}

// sameFields reports whether the prompts of both runs name the same fields, which contents are made of.
func (s *subject) sameFields() bool {
	fields := func(a *arm) (n []string) {
		for key := range a.run.Inputs[accept.Spec] {
			if strings.HasPrefix(key, "datasets."+a.Dataset+".fields.") {
				n = append(n, key)
			}
		}
		slices.Sort(n)
		return n
	}
	return slices.Equal(fields(s.old), fields(s.now))
}

// incomplete reports whether answers are missing in either run, beyond what the study allows.
func (s *subject) incomplete() bool { return s.old.Incomplete || s.now.Incomplete }

// whole reports whether the test parts are the same records.
func (s *subject) whole() bool {
	return len(s.pairs) == len(s.old.IDs) && len(s.pairs) == len(s.now.IDs)
}

// few reports whether most test records are others.
func (s *subject) few() bool { return 2*len(s.pairs) < max(len(s.old.IDs), len(s.now.IDs)) }

// sameInputs reports whether the two runs fitted their policies to the same answers.
func (s *subject) sameInputs() bool {
	same := func(kind accept.Kind, name string) bool {
		return s.old.run.Inputs[kind][name] == s.now.run.Inputs[kind][name]
	}
	return slices.Equal(s.old.Models, s.now.Models) && s.whole() && same(accept.Data, s.now.Dataset) &&
		same(accept.Split, accept.On(s.now.Cascade, s.now.Dataset)) &&
		!slices.ContainsFunc(s.now.Models, func(m string) bool {
			return !same(accept.Answers, accept.On(m, s.now.Dataset))
		})
}

// plays are what a row decided on the test records: of each the place of the model whose answer is final, and the
// models that were asked, as the sum of 2^place.
type plays struct {
	*arm
	row          *accept.Row
	final, asked []int
	frozen       bool // decided by thresholds of another run
}

// plays are a row's decisions; nil = not all are known.
func (a *arm) plays(r *accept.Row) *plays {
	if r.Final == nil {
		return nil
	}
	p := &plays{arm: a, row: r}
	for i, final := range r.Final {
		p.add(i, final, 0)
	}
	return p
}

// add adds a record's decision. asked counts where the row says whom it asks; elsewhere that follows from its charge.
func (p *plays) add(record, final, asked int) {
	one := 1 << final
	switch r := p.row; {
	case r.Asked != nil && r.Asked[record] >= 0:
		if asked |= one; !p.frozen {
			asked = r.Asked[record]
		}
	case r.Charge == "parallel":
		asked = 1<<len(p.Models) - 1
	case r.Charge == "router":
		asked = one
	case len(p.Models) > 2: // a pair of a longer cascade says whom it asks; else there is the first and the last
		asked = one | 1
	default:
		asked = 2*one - 1
	}
	p.final, p.asked = append(p.final, final), append(p.asked, asked)
}

// A policy is fitted to the answers of its own run. Where these differ, two fitted policies of equally good models
// differ, too: a threshold that moves by chance turns all records between its two places in one direction, which a
// paired test takes for evidence. So where inputs differ, the new answers are decided by the accepted thresholds: what
// then differs is due to the models.

// thawed is what the accepted thresholds make of a row's decisions in the new run; nil = it cannot be told.
func (s *subject) thawed(p *plays, old *accept.Row) *plays {
	settings := p.run.Inputs[accept.Spec]
	if settings["policy.calibration"] != "none" ||
		slices.Contains([]string{"minmax", "sigmoid", "quantiles"}, settings["confidence.generation"]) {
		return nil // confidences depend on the fit part, and the accepted thresholds are on another scale
	}
	same := p.decide(s.now, p.row.Thresholds)
	if same == nil || !slices.Equal(same.final, p.final) || !slices.Equal(same.asked, p.asked) {
		return nil // it is no policy of plain thresholds
	}
	return p.decide(s.old, old.Thresholds)
}

// stage is a model of a policy with the confidence from which its answer is final: one, or one per class.
type stage struct {
	model int
	theta []float64 // by place of the label; one alone for all classes
}

// stages arranges the thresholds of a run by stage and class.
func (p *plays) stages(from *arm, list []result.Threshold) (stages []stage) {
	for _, t := range list {
		model := max(0, slices.Index(from.Models, t.Model))
		if len(stages) == 0 || stages[len(stages)-1].model != model {
			stages = append(stages, stage{model: model})
		}
		at := &stages[len(stages)-1]
		if t.Class == "" {
			at.theta = append(at.theta, float64(t.Theta))
			continue
		}
		if at.theta == nil { // a class without one is deferred
			at.theta = slices.Repeat([]float64{math.Inf(1)}, max(2, len(p.Labels)))
		}
		if k := slices.Index(p.Labels, t.Class); k >= 0 {
			at.theta[k] = float64(t.Theta)
		}
	}
	return stages
}

// decide applies a run's thresholds to the test records; nil = there are none, or confidences or classes are not known.
func (p *plays) decide(from *arm, list []result.Threshold) *plays {
	out := &plays{arm: p.arm, row: p.row, frozen: true}
	stages := p.stages(from, list)
	if len(stages) == 0 {
		return nil
	}
	for i := range p.IDs {
		final, asked := len(p.Models)-1, 0
		for _, x := range stages {
			a, k := &p.Answers[x.model], 0
			if len(x.theta) > 1 && a.Class != nil {
				k = a.Class[i]
			}
			if len(a.Beta) != len(p.IDs) || len(x.theta) > 1 && a.Class == nil || k < 0 {
				return nil
			}
			asked |= 1 << x.model
			if a.Beta[i] >= x.theta[k] {
				final = x.model
				break
			}
		}
		out.add(i, final, asked)
	}
	return out
}
