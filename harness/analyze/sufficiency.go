package analyze

import (
	"context"
	"fmt"
	"slices"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/policy"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/seed"
	"infnet/harness/spec"
	"infnet/harness/task"
	"infnet/sufficiency"
	"infnet/sufficiency/gbdt"
	"infnet/sufficiency/permute"
)

// sufficiencyCode is the version of the computation behind cached tests: raise it
// when the same inputs lead to different numbers.
const sufficiencyCode = 7

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
	o := sufficiencyOptions(r, budget, in.Threads)
	out := &result.Sufficiency{
		Records: len(r.Fit), Folds: o.Folds, Learner: string(s.Learner), Trees: o.Learner.Trees, Depth: o.Learner.Depth,
		Method: s.Method.String(), Splits: o.Splits, Permutations: s.Permutations, Alpha: o.Alpha,
		Rows: []sufficiency.Row{},
	}
	if s.Permutations > 0 {
		out.Smallest = permute.Smallest(s.Permutations)
	}
	if r.Roles.TooFew != nil {
		out.Rows = untested(s, o, sufficiency.Facts{Undivided: r.Roles.TooFew})
		return out, nil
	}
	j, err := collectEvidence(r)
	if err != nil {
		return nil, fmt.Errorf("sufficiency: %w", err)
	}
	out.Notes = append(out.Notes, j.notes...)
	if o.Method != sufficiency.PCM && permute.Needed(o.Permutations, o.Alpha) > 0 {
		out.Notes = append(out.Notes, note.TooFewPermutations(o.Permutations, o.Alpha))
	}
	out.Rows, err = cachedTest(ctx, in, r, sufficiencyTask{fit, o, j})
	return out, err
}

// untested returns the rows of sets that cannot be tested.
func untested(s *spec.Sufficiency, o sufficiency.Options, why sufficiency.Facts) []sufficiency.Row {
	nulls := o.Nulls
	if nulls == nil {
		nulls = []sufficiency.Null{sufficiency.Beta}
	}
	rows := []sufficiency.Row{}
	for _, e := range s.Extra {
		for _, null := range nulls {
			rows = append(rows, sufficiency.Row{Set: string(e), Null: null, State: sufficiency.Degenerate,
				Method: o.Method, Dropped: []string{}, Notes: why.Notes()})
		}
	}
	return rows
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
		if r.Dataset.Task == task.Classification {
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

// sufficiencyOptions translates the spec.
func sufficiencyOptions(r *records.Records, budget policy.Budget, threads int) sufficiency.Options {
	s := r.Study.Sufficiency
	o := sufficiency.Options{
		Seed: r.Study.Seed, Name: r.Cascade.Name + "/" + r.Dataset.Name, Folds: sufficiency.Folds,
		Learner: gbdt.Options{Learner: s.Learner, Trees: sufficiency.Trees, Depth: sufficiency.Depth},
		Method:  s.Method, Permutations: s.Permutations, Alpha: sufficiency.Alpha,
		Resamples: r.Study.Report.Bootstrap, Level: r.Study.Report.Level, Threads: max(1, threads),
	}
	o.Budget = shareOf(budget)
	if o.Method == sufficiency.PCM {
		o.Splits = sufficiency.Splits
	}
	nulls := s.Nulls
	if nulls == nil {
		nulls = []sufficiency.Null{sufficiency.Beta, sufficiency.BetaAndClass}
	}
	for _, null := range nulls {
		if r.Dataset.Task != task.Classification {
			null = sufficiency.Beta // there are no classes to know
		}
		if !slices.Contains(o.Nulls, null) {
			o.Nulls = append(o.Nulls, null)
		}
	}
	return o
}

// shareOf is the share of errors that a budget allows; nil = it is of no records.
func shareOf(b policy.Budget) *float64 {
	if b.N == 0 {
		return nil
	}
	return new(min(1, max(0, b.Errors.Float()/float64(b.N))))
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

// collectEvidence collects the data that the study's test needs.
func collectEvidence(r *records.Records) (ingredients, error) {
	s := r.Study
	var j ingredients
	if s.Sufficiency.Asks(spec.OutputStats) {
		// Out-of-fold calibrators are one function per fold, or have steps; and
		// the probability of a whole answer is no function of its tokens' mean.
		j.marked = r.Student().Calibrator.Method == confidence.NoCalibration && r.Score() != confidence.Sum
		for _, i := range r.Fit {
			if r.Dataset.Task == task.Classification {
				j.probs = append(j.probs, r.Reading(student, i).Probs)
			} else {
				j.logprobs = append(j.logprobs, tokenLogprobs(r.Student().At(i).Tokens))
			}
		}
		if j.marked {
			j.notes = append(j.notes, note.DerivedStats())
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
		j.notes = append(j.notes, note.Embeddings(embedder(r), s.Embedder.Kind == "lexical"))
	}
	return j, nil
}

// tokenLogprobs are the log-probabilities that the confidence of a generation
// is read from: those before the end token.
func tokenLogprobs(tokens []backends.Token) []float64 {
	out := []float64{}
	for _, t := range tokens {
		if t.End {
			break
		}
		out = append(out, min(t.Logprob, 0)) // servers round
	}
	return out
}

// sets makes J.
func sets(r *records.Records, j ingredients) ([]sufficiency.Set, error) {
	s := r.Study
	var out []sufficiency.Set
	for _, e := range s.Sufficiency.Extra {
		var set sufficiency.Set
		var err error
		switch {
		case e == spec.Embeddings:
			random := seed.Stream(s.Seed, "sufficiency", r.Dataset.Name, "svd")
			set, err = sufficiency.Embeddings(string(e), j.vectors, s.Sufficiency.Dimensions, random)
		case j.probs != nil:
			set, err = sufficiency.ClassStats(string(e), j.probs, j.marked)
		default:
			set, err = sufficiency.AnswerStats(string(e), j.logprobs, j.marked)
		}
		if err != nil {
			return nil, fmt.Errorf("sufficiency: %w", err)
		}
		out = append(out, set)
	}
	return out, nil
}

// sufficiencyTask is one test: the fit part, how to test it, and what J is made
// of.
type sufficiencyTask struct {
	fit         sufficiency.Input
	options     sufficiency.Options
	ingredients ingredients
}

// cachedTest returns the test's rows from the cache, or computes and caches them. The
// number of threads is no part of the key, as it changes nothing.
func cachedTest(ctx context.Context, in Input, r *records.Records, test sufficiencyTask) ([]sufficiency.Row, error) {
	fit, o, j := test.fit, test.options, test.ingredients
	o.Threads = 0
	parts := []any{sufficiencyCode, r.Study.Sufficiency, o, j.marked, fit.IDs, fit.Groups, fit.Class, fit.Beta,
		fit.StudentErr, fit.MasterErr, fit.StudentCost, fit.MasterCost, len(j.probs), len(j.logprobs), len(j.vectors)}
	for _, row := range slices.Concat(j.probs, j.logprobs) {
		parts = append(parts, row)
	}
	for _, v := range j.vectors {
		parts = append(parts, v)
	}
	key, err := digest(parts...)
	if err != nil {
		return nil, fmt.Errorf("sufficiency: %w", err)
	}
	whole := func(rows []sufficiency.Row) bool { return rows != nil }
	return remembered(in.Cache, key, whole, func() ([]sufficiency.Row, error) {
		if fit.Sets, err = sets(r, j); err != nil {
			return nil, err
		}
		var report sufficiency.Progress
		if in.Progress != nil {
			report = func(_ string, _ sufficiency.Null, done, total int) {
				in.Progress("sufficiency · "+r.Dataset.Name, done, total)
			}
		}
		found, err := sufficiency.Run(ctx, fit, test.options, report)
		if err != nil {
			return nil, err
		}
		return found.Rows, nil
	})
}

// adjust sets the adjusted p-values: all rows of a study are one table, and so
// one family.
func adjust(s *result.Results) {
	var rows []*sufficiency.Row
	for _, c := range s.Cascades {
		for _, d := range c.Datasets {
			if d.Sufficiency == nil {
				continue
			}
			for k := range d.Sufficiency.Rows {
				rows = append(rows, &d.Sufficiency.Rows[k])
			}
		}
	}
	sufficiency.Adjust(rows)
}
