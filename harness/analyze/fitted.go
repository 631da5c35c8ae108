package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infnet/harness/choice"
	"infnet/harness/policy"
	"infnet/harness/policy/chain"
	"infnet/harness/policy/guarantee"
	"infnet/harness/population"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
)

// Names of the rows that are ours.
const (
	Single = "single" // one threshold
	Multi  = "multi"  // a threshold per predicted class
	Chain  = "chain"  // of three models in series
)

// guaranteed ends the names of rows with a guarantee.
const guaranteed = "-guarantee"

// Fitted is a fitted policy and the row it belongs to.
type Fitted struct {
	Name      string
	Series    []int              // in the table of a chain: the models, in the order asked; nil in that of a pair
	Policy    chain.Policy       // in the table of a pair only the policy of two models
	Promise   *guarantee.Promise // nil = it carries no guarantee
	OwnBudget bool               // its budget is not that of the single threshold (target min)
	Price     float64            // of an error, for which it was fitted; 0 = for the budget
}

// fitOurs fits the paper's policies on the fit part. Of two models they are a single
// threshold, and thresholds per class where there are classes. Of more they are the
// chain and, at its budget, the pairs it contains: exactly, whatever the study's
// method.
func fitOurs(r *records.Records) (out []Fitted, err error) {
	if r.IsChain() {
		return fitChain(r)
	}
	for _, form := range forms(r) {
		p, err := solve(r, r.Study.Policy.Method, form == Multi)
		if err != nil {
			return nil, fmt.Errorf("fit %s: %w", formNames[form], err)
		}
		out = append(out, Fitted{Name: form, Policy: chain.Policy{Policy: p},
			OwnBudget: form == Multi && p.Budget.Errors != out[0].Policy.Budget.Errors})
	}
	return out, nil
}

// forms are the forms of thresholds, the richest last.
func forms(r *records.Records) []string {
	if r.PerClass() {
		return []string{Single, Multi}
	}
	return []string{Single}
}

var formNames = map[string]string{Single: "a single threshold", Multi: "a threshold per class"}

func fitChain(r *records.Records) (out []Fitted, err error) {
	columns := r.Series(r.Fit)
	own := Fitted{Name: Chain}
	if own.Policy, err = chain.Fit(columns, promised(r)); err != nil {
		return nil, fmt.Errorf("fit a chain: %w", err)
	}
	for i := range r.Models {
		own.Series = append(own.Series, i)
		for j := i + 1; j < len(r.Models); j++ {
			pair := Fitted{Name: fmt.Sprintf("pair-%d-%d", i+1, j+1), Series: []int{i, j}}
			if pair.Policy, err = columns.FitPair(i, j, own.Policy.Budget); err != nil {
				return nil, fmt.Errorf("fit the pair of %s and %s: %w", r.Cascade.Models[i], r.Cascade.Models[j], err)
			}
			out = append(out, pair)
		}
	}
	return append(out, own), nil
}

// promised are the options of policies that have no choice of method or objective.
func promised(r *records.Records) policy.Options {
	return policy.Options{Setting: r.Study.Policy.Setting, Target: r.Study.Policy.Target}
}

// certified fits the policies with a finite-sample guarantee, where the study asks
// for one: half of the fit part proposes thresholds, the other half tests them.
func certified(r *records.Records) (out []Fitted, err error) {
	g, halves := r.Study.Policy.Guarantee, r.Roles.Halves
	if g == nil || r.IsChain() {
		return nil, nil
	}
	pair := r.Pair(r.Fit)
	if r.Judged() {
		audited(r, &halves, pair)
		if halves.Test != nil && len(halves.Propose)*len(halves.Test) == 0 {
			return nil, fmt.Errorf("the guarantee rests on answers that people graded, and of the fit part these are none in " +
				"one half: grade more of every model's answers, or leave the guarantee out")
		}
	}
	for _, form := range forms(r) {
		fit := guarantee.FitSingle
		if form == Multi {
			fit = guarantee.FitMulti
		}
		p, err := fit(pair, halves, promised(r), *g)
		if err != nil {
			return nil, fmt.Errorf("guarantee for %s: %w", formNames[form], err)
		}
		out = append(out, Fitted{Name: form + guaranteed, Policy: chain.Policy{Policy: p.Policy}, Promise: &p.Promise})
	}
	return out, nil
}

// audited leaves in both halves the records whose answers people graded, with these grades: a promise about errors does
// not rest on a judge's.
func audited(r *records.Records, halves *guarantee.Halves, pair policy.Records) {
	known := make([]bool, len(r.Fit))
	for k, i := range r.Fit {
		known[k] = true
		for m, errs := range [][]float64{pair.Student, pair.Master} {
			if human := r.HumanGrade(m, i); human == nil {
				known[k] = false
			} else {
				errs[k] = 1 - indicator(*human)
			}
		}
	}
	kept := func(half []int) []int {
		return slices.DeleteFunc(slices.Clone(half), func(k int) bool { return !known[k] })
	}
	halves.Propose, halves.Test = kept(halves.Propose), kept(halves.Test)
}

func (f Fitted) contained(r *records.Records) bool {
	return f.Series != nil && len(f.Series) < len(r.Models)
}

func (f Fitted) isSingle() bool { return len(f.Policy.Thresholds) == 1 }

// places returns, by record, the place among the policy's models of the one that answers.
func (f Fitted) places(r *records.Records, examples []int) []int {
	if f.Series == nil {
		return places(f.Policy.Decide(r.Pair(examples)))
	}
	all, own := r.Series(examples), chain.Records{}
	for _, m := range f.Series[:len(f.Series)-1] {
		own.Beta = append(own.Beta, all.Beta[m])
	}
	return own.Stages(f.Policy.Thresholds)
}

func (f Fitted) title(r *records.Records) string {
	if f.Series == nil {
		return title(r, strings.TrimSuffix(f.Name, guaranteed))
	}
	var names []string
	for _, m := range f.Series {
		names = append(names, r.Cascade.Models[m])
	}
	return "Ours, " + strings.Join(names, " → ")
}

func title(r *records.Records, name string) string {
	form, what, _ := strings.Cut(name, "-")
	title := "Ours"
	if r.Classifies() {
		title = map[string]string{Single: "Ours (one threshold)", Multi: "Ours (threshold per class)"}[form]
	}
	if what != "" {
		title += ", " + what
	}
	return title
}

// mainRow names the row of ours in the richest form.
func mainRow(r *records.Records) string {
	if r.IsChain() {
		return Chain
	}
	list := forms(r)
	return list[len(list)-1]
}

func (f Fitted) notes(r *records.Records) []result.Note {
	p := f.Policy
	notes := caveats(r, p.Warnings)
	if f.OwnBudget {
		notes = append(notes, note.Say("budget", "Fitted to a budget of its own: target %s allows thresholds of this form "+
			"%s errors on the fit part.", p.Budget.Target, p.Budget.Errors))
	}
	if f.Name != Chain {
		return notes
	}
	asked := r.Study.Policy
	var left []string // what the study asks for that chains do not have
	if r.PerClass() {
		left = append(left, "thresholds per class")
	}
	if len(asked.Compare) > 0 {
		left = append(left, "other ways to find a policy ("+choice.List(asked.Compare)+")")
	}
	if asked.Guarantee != nil {
		left = append(left, "the guarantee")
	}
	only := "One threshold for each model but the last."
	if left != nil {
		only += " Of pairs alone, in tables of their own: " + strings.Join(left, "; ") + "."
	}
	return append(notes, result.Note{Kind: "pairs-only", Text: only})
}

// caveats turns a policy's warnings into notes: one per kind, with the names of the
// classes concerned.
func caveats(r *records.Records, warnings []policy.Warning) []result.Note {
	var notes []result.Note
	classes := map[policy.WarningKind][]string{}
	for _, w := range warnings {
		class := className(r, w.Class)
		switch {
		case class != "" || w.Kind == population.NotMonotone:
			classes[w.Kind] = append(classes[w.Kind], cmp.Or(class, "all"))
		default:
			notes = append(notes, result.Note{Kind: note.Kind(w.Kind), Text: w.Message})
		}
	}
	for _, x := range []struct {
		kind policy.WarningKind
		says string
	}{
		{policy.NeverPredicted, "The student never predicts these classes on the fit part, so their queries are always " +
			"deferred: %s."},
		{population.NoSpread, "All confidences are equal or nearly so (%s): a narrow kernel stands in for the density."},
		{population.NotMonotone, "The estimated excess error rises somewhere with the confidence (%s); the global " +
			"minimiser was taken, not the first crossing."},
	} {
		if names := classes[x.kind]; names != nil {
			notes = append(notes, note.Say(note.Kind(x.kind), x.says, strings.Join(names, ", ")))
		}
	}
	return notes
}

// className is the class of a label; "" = there is no such label.
func className(r *records.Records, k int) string {
	if k < 0 || k >= len(r.Dataset.Labels) {
		return ""
	}
	return r.Dataset.Labels[k].Class
}

func (f Fitted) describe(r *records.Records) result.Policy {
	p := f.Policy
	out := result.Policy{
		Policy: f.Name, Method: string(p.Certificate.Method), Feasible: p.Feasible,
		FitErrors: p.FitError.Float(), FitDeferred: p.FitDeferred, MinErrors: p.MinError.Float(),
		Budget: p.Budget.Errors.Float(), FitCost: p.Cost, FitAsked: p.Asked, ErrorCost: f.Price,
	}
	_, counted := spec.Solver(p.Certificate.Method).Counted()
	switch {
	case f.Price > 0: // they minimise the loss
	case f.Promise != nil: // thresholds chosen for a promise have no proof about their deferrals or their cost
	case len(f.Series) > 2:
		out.Certificate = &result.Certificate{LowerBound: p.Cost, Optimal: true}
	case counted || p.Feasible:
		unit := r.Pair(r.Fit).Unit(p.Objective)
		out.Certificate = &result.Certificate{LowerBound: unit * float64(p.Certificate.LowerBound),
			Gap: unit * float64(p.Certificate.Gap), Optimal: p.Certificate.Optimal}
	}
	for k, theta := range p.Thresholds {
		t := result.Threshold{Theta: result.Float(theta)}
		switch {
		case f.Series != nil:
			t.Model = r.Cascade.Models[f.Series[k]]
		case !f.isSingle():
			t.Class = r.Dataset.Labels[k].Class
		}
		out.Thresholds = append(out.Thresholds, t)
	}
	return out
}

func promiseOf(g guarantee.Promise) *result.Promise {
	return &result.Promise{
		Method: string(g.Method), PValue: string(g.PValue), Level: g.Level, Delta: g.Delta, Reference: g.Reference,
		Proposed: g.Proposed, Tested: g.Tested, Clusters: g.Clusters, Largest: g.Largest,
	}
}

func (x *row) promise(s *measurer, g guarantee.Promise) {
	x.Certified = g.Certified
	x.Promise = promiseOf(g)
	x.Title += certifiedWord[g.Certified]
	x.Notes = append(x.Notes, promiseNote(g, s.r.Roles.Graph.Hash))
}

func promiseNote(g guarantee.Promise, split string) result.Note {
	if !g.Certified {
		return note.Say("uncertified", "Nothing is promised: on the %s that test no candidate passed; these are the "+
			"thresholds of least error on the %d that propose.", g.Sample(), g.Proposed)
	}
	of, above, how := "", "", "on average over fit parts"
	if g.Largest > 0 {
		of = fmt.Sprintf(", in groups of at most %d,", g.Largest)
	}
	if g.Reference != "" {
		above = fmt.Sprintf(" above that of the %s alone", g.Reference)
	}
	if g.Delta > 0 {
		how = fmt.Sprintf("with probability %.4g", 1-g.Delta)
	}
	return note.Say("certified", "Certified (%s): the error of records drawn like the fit part%s is at most %.4g%s, %s. "+
		"%d records proposed, %s tested; split %.12s. Of records drawn otherwise, from other data or at another time, it "+
		"says nothing.", g.Method, of, g.Level, above, how, g.Proposed, g.Sample(), split)
}

var certifiedWord = map[bool]string{true: ", certified", false: ", not certified"}
