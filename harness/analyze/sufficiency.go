package analyze

import (
	"context"
	"fmt"
	"slices"

	"infnet/harness/confidence"
	"infnet/harness/policy"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
	"infnet/sufficiency"
)

// sufficiencyCode is the version of the computation behind cached tests: raise it
// when the same inputs lead to different numbers.
const sufficiencyCode = 8

// Progress receives the progress of a long computation: done of total steps. It is
// called from one goroutine at a time.
type Progress func(what string, done, total int)

// testSufficiency tests, on the fit part, whether anything known at gating time
// predicts "student wrong, master right" beyond the confidence.
func testSufficiency(ctx context.Context, in Input, r *records.Records,
	budget policy.Budget) (*result.Sufficiency, error) {
	s := r.Study.Sufficiency
	if s == nil {
		return nil, nil
	}
	fit := sufficiencyInput(r)
	o := sufficiencyOptions(r, budget)
	out := &result.Sufficiency{
		Records: len(r.Fit), Folds: o.Folds, Method: s.Method.String(), Permutations: s.Permutations, Alpha: o.Alpha,
		Rows: []sufficiency.Row{},
	}
	if s.Permutations > 0 {
		out.Smallest = sufficiency.SmallestP(s.Permutations)
	}
	if r.Roles.TooFew != nil {
		why := sufficiency.Facts{Undivided: r.Roles.TooFew}
		for _, e := range s.Extra {
			for _, null := range o.Nulls { // at least one
				out.Rows = append(out.Rows, sufficiency.Row{Set: string(e), Null: null, State: sufficiency.Degenerate,
					Method: o.Method, Dropped: []string{}, Notes: why.Notes()})
			}
		}
		return out, nil
	}
	j, err := collectEvidence(r)
	if err != nil {
		return nil, fmt.Errorf("sufficiency: %w", err)
	}
	out.Notes = append(out.Notes, j.notes...)
	if o.Method != sufficiency.PCM && sufficiency.Needed(o.Permutations, o.Alpha) > 0 {
		out.Notes = append(out.Notes, note.TooFewPermutations(o.Permutations, o.Alpha))
	}
	parts := []any{s, j.marked, len(j.probs), len(j.logprobs), len(j.vectors)}
	for _, row := range slices.Concat(j.probs, j.logprobs) {
		parts = append(parts, row)
	}
	for _, v := range j.vectors {
		parts = append(parts, v)
	}
	report := func(done, total int) { in.Progress("sufficiency · "+r.Dataset.Name, done, total) }
	out.Rows, err = cachedTest(ctx, in, fit, o, report, func() ([]sufficiency.Set, error) { return sets(r, j) }, parts...)
	if err != nil {
		return nil, fmt.Errorf("sufficiency: %w", err)
	}
	return out, nil
}

// sufficiencyInput returns the test's input from the fit part, without J.
func sufficiencyInput(r *records.Records) sufficiency.Input {
	in := sufficiency.Input{Beta: records.Pick(r.Student().Beta, r.Fit)}
	grouped, cost := false, 0.0
	for _, item := range r.Sheet.Items(r.Fit) {
		in.IDs = append(in.IDs, item.ID)
		in.Groups = append(in.Groups, item.Group)
		grouped = grouped || item.Group != ""
	}
	if !grouped {
		in.Groups = nil
	}
	for _, i := range r.Fit {
		if r.Classifies() {
			in.Class = append(in.Class, r.Student().Class[i])
		}
		in.StudentErr = append(in.StudentErr, r.Student().Errs[i])
		in.MasterErr = append(in.MasterErr, r.Master().Errs[i])
		cost += r.Master().Costs[i]
	}
	if cost > 0 {
		in.StudentCost, in.MasterCost = records.Pick(r.Student().Costs, r.Fit), records.Pick(r.Master().Costs, r.Fit)
	}
	return in
}

// testOptions are those of every test of a study. name is that of its streams.
func testOptions(r *records.Records, name string) sufficiency.Options {
	return sufficiency.Options{Seed: r.Study.Seed, Name: name, Folds: sufficiency.Folds, Alpha: sufficiency.Alpha,
		Resamples: r.Study.Report.Bootstrap, Level: r.Study.Report.Level}
}

func sufficiencyOptions(r *records.Records, budget policy.Budget) sufficiency.Options {
	s, o := r.Study.Sufficiency, testOptions(r, r.Cascade.Name+"/"+r.Dataset.Name)
	o.Method, o.Permutations = s.Method, s.Permutations
	if budget.N > 0 { // the share of errors that it allows
		o.Budget = new(min(1, max(0, budget.Errors.Float()/float64(budget.N))))
	}
	if o.Nulls = []sufficiency.Null{sufficiency.Beta}; r.Classifies() {
		o.Nulls = append(o.Nulls, sufficiency.BetaAndClass)
	}
	return o
}

// ingredients are the data that the sets of J are computed from. They are cheap to
// collect, and their hash shows whether a test was done before.
type ingredients struct {
	probs    [][]float64 // classification: the student's distribution over labels
	logprobs [][]float64 // generation: of the answer's tokens
	vectors  [][]float32 // of the input texts
	marked   bool        // β is a strictly increasing function of the confidence score that the statistics are of
	notes    []result.Note
}

func collectEvidence(r *records.Records) (ingredients, error) {
	s := r.Study
	var j ingredients
	if s.Sufficiency.Asks(spec.OutputStats) {
		// Out-of-fold calibrators are one function per fold, or have steps; and
		// the probability of a whole answer is no function of its tokens' mean.
		j.marked = r.Student().Calibrator.Method == confidence.NoCalibration && r.Score() != confidence.Sum
		for _, i := range r.Fit {
			if r.Classifies() {
				j.probs = append(j.probs, r.Reading(student, i).Probs)
			} else {
				own := []float64{} // what the confidence is read from: before the end token
				for _, t := range r.Student().At(i).Tokens {
					if t.End {
						break
					}
					own = append(own, min(t.Logprob, 0)) // servers round
				}
				j.logprobs = append(j.logprobs, own)
			}
		}
		if j.marked {
			j.notes = append(j.notes, note.Say("output-stats", "Output statistics that are functions of β by the way they are "+
				"made are left out."))
		}
	}
	if s.Sufficiency.Asks(spec.Embeddings) {
		for _, i := range r.Fit {
			v, err := r.Vector(r.Sheet.Input(i))
			if err != nil {
				return j, err
			}
			j.vectors = append(j.vectors, v)
		}
		sees := ""
		if s.Embedder.Kind == "lexical" {
			sees = ", which hashes words and characters: it sees wording, not meaning"
		}
		j.notes = append(j.notes, note.Say("embeddings", "Embeddings are those of the prompt's fields by the embedder %s%s.",
			embedder(r), sees))
	}
	return j, nil
}

func sets(r *records.Records, j ingredients) ([]sufficiency.Set, error) {
	s := r.Study
	var out []sufficiency.Set
	for _, e := range s.Sufficiency.Extra {
		var set sufficiency.Set
		var err error
		switch {
		case e == spec.Embeddings:
			set, err = sufficiency.Embeddings(string(e), j.vectors, s.Sufficiency.Dimensions)
		case j.probs != nil:
			set, err = sufficiency.ClassStats(string(e), j.probs, j.marked)
		default:
			set, err = sufficiency.AnswerStats(string(e), j.logprobs, j.marked)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, set)
	}
	return out, nil
}

// cachedTest returns a test's rows from the cache, or computes and caches them. parts are what it depends on besides
// its options and input; the number of threads changes nothing.
func cachedTest(ctx context.Context, in Input, fit sufficiency.Input, o sufficiency.Options,
	report func(done, total int), sets func() ([]sufficiency.Set, error), parts ...any) ([]sufficiency.Row, error) {
	key, err := digest(append(parts, sufficiencyCode, o, fit.IDs, fit.Groups, fit.Class, fit.Beta, fit.Delta,
		fit.StudentErr, fit.MasterErr, fit.StudentCost, fit.MasterCost)...)
	if err != nil {
		return nil, err
	}
	whole := func(rows []sufficiency.Row) bool { return rows != nil }
	return remembered(in.Cache, key, whole, func() ([]sufficiency.Row, error) {
		if fit.Sets, err = sets(); err != nil {
			return nil, err
		}
		o.Threads = max(1, in.Threads)
		found, err := sufficiency.Run(ctx, fit, o, func(_ string, _ sufficiency.Null, done, total int) {
			if in.Progress != nil {
				report(done, total)
			}
		})
		return found.Rows, err
	})
}

// adjust sets the adjusted p-values of the sufficiency tests, and of the tests of signals: all rows of one kind in a
// study are one table, and so one family.
func adjust(s *result.Results) {
	var rows, signals []*sufficiency.Row
	var of []*result.Added
	for _, c := range s.Cascades {
		for _, d := range c.Datasets {
			for k := 0; d.Sufficiency != nil && k < len(d.Sufficiency.Rows); k++ {
				rows = append(rows, &d.Sufficiency.Rows[k])
			}
			for k := 0; d.Signals != nil && k < len(d.Signals.Adds); k++ {
				a := &d.Signals.Adds[k]
				signals, of = append(signals, &sufficiency.Row{State: a.State, P: a.P}), append(of, a)
			}
		}
	}
	sufficiency.Adjust(rows)
	sufficiency.Adjust(signals)
	for k, a := range of {
		a.Holm = signals[k].Holm
	}
}
