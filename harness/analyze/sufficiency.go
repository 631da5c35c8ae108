package analyze

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"infnet/harness/confidence"
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

// sufficiencyCode is the version of the computation behind cached tests: raise
// it where the same ingredients lead to other numbers.
const sufficiencyCode = 4

// Progress is told what a long computation is at: done of total steps. It is
// called from one goroutine at a time.
type Progress func(what string, done, total int)

// testSufficiency asks, on the fit part, whether anything known at gating time
// tells more of "student wrong, master right" than the confidence.
func (b *Bench) testSufficiency(ctx context.Context) error {
	s := b.in.Study.Sufficiency
	if s == nil {
		return nil
	}
	in, err := b.evidence()
	if err != nil {
		return fmt.Errorf("sufficiency: %w", err)
	}
	o, err := b.sufficiencyOptions()
	if err != nil {
		return fmt.Errorf("sufficiency: %w", err)
	}
	out := &result.Sufficiency{
		Records: len(b.Fit), Folds: s.Folds, Learner: string(s.Learner), Trees: s.Trees, Depth: s.Depth,
		Method: string(s.Method), Splits: s.Splits, Permutations: s.Permutations, Stop: s.Stop, Alpha: s.Alpha, Rows: []sufficiency.Row{},
	}
	if s.Permutations > 0 {
		out.Smallest = permute.Smallest(s.Permutations)
	}
	b.out.Sufficiency = out
	if b.Roles.TooFew != nil {
		out.Rows = untested(s, o, b.Roles.TooFew.Error())
		return nil
	}
	j, err := b.collectEvidence()
	if err != nil {
		return fmt.Errorf("sufficiency: %w", err)
	}
	out.Notes = append(out.Notes, j.notes...)
	cached, err := b.remember(ctx, in, o, j)
	if err != nil {
		return err
	}
	out.Rows = cached.Rows
	for _, w := range cached.Warnings {
		out.Notes = append(out.Notes, result.Note{Kind: "permutations", Text: w})
	}
	return nil
}

// untested are the rows of sets that cannot be tested.
func untested(s *spec.Sufficiency, o sufficiency.Options, why string) []sufficiency.Row {
	nulls := o.Nulls
	if nulls == nil {
		nulls = []sufficiency.Null{sufficiency.Beta}
	}
	rows := []sufficiency.Row{}
	for _, e := range s.Extra {
		for _, null := range nulls {
			rows = append(rows, sufficiency.Row{Set: string(e), Null: null, State: sufficiency.Degenerate,
				Method: o.Method, Dropped: []string{}, Notes: []string{why}})
		}
	}
	return rows
}

// evidence is the fit part as the test sees it, without J.
func (b *Bench) evidence() (sufficiency.Input, error) {
	in := sufficiency.Input{Beta: records.Pick(b.Student().Beta, b.Fit)}
	grouped, cost := false, 0.0
	for _, item := range b.Items(b.Fit) {
		in.IDs = append(in.IDs, item.ID)
		in.Groups = append(in.Groups, item.Group)
		grouped = grouped || item.Group != ""
	}
	if !grouped {
		in.Groups = nil
	}
	for _, i := range b.Fit {
		if b.Dataset.Task == task.Classification {
			in.Class = append(in.Class, b.Student().Readings[i].Class)
		}
		in.StudentErr = append(in.StudentErr, b.Student().Grades[i].Err)
		in.MasterErr = append(in.MasterErr, b.Master().Grades[i].Err)
		cost += b.Master().Costs[i]
	}
	if cost > 0 {
		in.StudentCost, in.MasterCost = records.Pick(b.Student().Costs, b.Fit), records.Pick(b.Master().Costs, b.Fit)
	}
	return in, nil
}

// sufficiencyOptions translates the spec.
func (b *Bench) sufficiencyOptions() (sufficiency.Options, error) {
	s := b.in.Study.Sufficiency
	o := sufficiency.Options{
		Seed: b.in.Study.Seed, Name: b.Cascade.Name + "/" + b.Dataset.Name, Folds: s.Folds,
		Learner: gbdt.Options{Trees: s.Trees, Depth: s.Depth}, Splits: s.Splits, Stratum: s.Stratum, Permutations: s.Permutations, Stop: s.Stop,
		NoSensitivity: !s.Sensitivity, Alpha: s.Alpha, Power: s.Power,
		Resamples: b.in.Study.Report.Bootstrap, Level: b.in.Study.Report.Level, Threads: max(1, b.in.Threads),
	}
	if n := b.out.Budget.Records; n > 0 {
		share := min(1, max(0, b.out.Budget.Errors/float64(n)))
		o.Budget = &share
	}
	if err := o.Learner.Learner.UnmarshalText([]byte(s.Learner)); err != nil {
		return o, err
	}
	if err := o.Method.UnmarshalText([]byte(s.Method)); err != nil {
		return o, err
	}
	nulls := s.Nulls
	if nulls == nil {
		nulls = []spec.Null{spec.NullBeta, spec.NullBetaClass}
	}
	for _, name := range nulls {
		var null sufficiency.Null
		if err := null.UnmarshalText([]byte(name)); err != nil {
			return o, err
		}
		if b.Dataset.Task != task.Classification {
			null = sufficiency.Beta // there are no classes to know
		}
		if !slices.Contains(o.Nulls, null) {
			o.Nulls = append(o.Nulls, null)
		}
	}
	return o, nil
}

// ingredients are what the sets of J are made of: cheap to collect, and enough
// to know whether a test was done before.
type ingredients struct {
	probs    [][]float64 // classification: the student's distribution over labels
	logprobs [][]float64 // generation: of the answer's tokens
	vectors  [][]float32 // of the input texts
	marked   bool        // β is a strictly increasing function of the confidence score that the statistics are of
	notes    []result.Note
}

// collectEvidence gathers what the study asks for.
func (b *Bench) collectEvidence() (ingredients, error) {
	s := b.in.Study
	var j ingredients
	if s.Sufficiency.Asks(spec.OutputStats) {
		// Out-of-fold calibrators are one function per fold, or have steps; and
		// the probability of a whole answer is no function of its tokens' mean.
		j.marked = b.Student().Calibrator.Method == confidence.NoCalibration && b.Score() != confidence.Sum
		for _, i := range b.Fit {
			if b.Dataset.Task == task.Classification {
				j.probs = append(j.probs, b.Student().Readings[i].Probs)
			} else {
				j.logprobs = append(j.logprobs, tokenLogprobs(b.Student().Given[i].Tokens, s.Confidence.IncludeEOS))
			}
		}
		if j.marked {
			j.notes = append(j.notes, result.NewNote(note.DerivedStats{}))
		}
	}
	if s.Sufficiency.Asks(spec.Embeddings) {
		for _, i := range b.Fit {
			v, err := b.Vector(b.Sheet.Input(i))
			if err != nil {
				return j, err
			}
			j.vectors = append(j.vectors, v)
		}
		j.notes = append(j.notes, result.NewNote(note.Embeddings{Embedder: b.embedder(), Lexical: s.Embedder.Kind == "lexical"}))
	}
	return j, nil
}

// sets makes J.
func (b *Bench) sets(j ingredients) ([]sufficiency.Set, error) {
	s := b.in.Study
	var out []sufficiency.Set
	for _, e := range s.Sufficiency.Extra {
		var set sufficiency.Set
		var err error
		switch {
		case e == spec.Embeddings:
			random := seed.Stream(s.Seed, "sufficiency", b.Dataset.Name, "svd")
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

// tested is what the cache keeps of a test.
type tested struct {
	Rows     []sufficiency.Row `json:"rows"`
	Warnings []string          `json:"warnings"`
}

// remember returns the test's rows: from the cache where the same ingredients
// were tested before, else worked out and put there.
func (b *Bench) remember(ctx context.Context, in sufficiency.Input, o sufficiency.Options, j ingredients) (tested, error) {
	key, err := ingredientsKey(b.in.Study.Sufficiency, in, o, j)
	if err != nil {
		return tested{}, fmt.Errorf("sufficiency: %w", err)
	}
	if b.in.Cache != nil {
		if data, ok := b.in.Cache.Get(key); ok {
			var t tested
			if json.Unmarshal(data, &t) == nil && t.Rows != nil {
				return t, nil
			} // else damaged: work it out again
		}
	}
	if in.Sets, err = b.sets(j); err != nil {
		return tested{}, err
	}
	var tell sufficiency.Progress
	if b.in.Progress != nil {
		tell = func(_ string, _ sufficiency.Null, done, total int) {
			b.in.Progress("sufficiency · "+b.Dataset.Name, done, total)
		}
	}
	r, err := sufficiency.Run(ctx, in, o, tell)
	if err != nil {
		return tested{}, err
	}
	t := tested{Rows: r.Rows, Warnings: []string{}}
	for _, w := range r.Warnings {
		t.Warnings = append(t.Warnings, w.Error())
	}
	if b.in.Cache == nil {
		return t, nil
	}
	data, err := json.Marshal(t)
	if err != nil {
		return t, fmt.Errorf("sufficiency: %w", err)
	}
	return t, b.in.Cache.Put(key, data)
}

// adjust sets the adjusted p-values: all rows of a study are one table, and so
// one family.
func adjust(s *result.Study) {
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
