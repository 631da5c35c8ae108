package analyze

import (
	"cmp"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/router"
	"infnet/harness/spec"
)

// learnedRow is the row of a baseline that learned.
func learnedRow(s *measurer, l *learnedPolicy) (row, error) {
	out, fit, test := describeLearned(s.r, l), l.decide(l.fit), l.decide(l.test)
	x, err := s.row(entry{
		name: l.name, title: l.title, baseline: true, charge: l.charge(), overhead: l.overhead,
		fit: places(fit), test: places(test),
		notes: append(learnedNotes(s.r, l, out), replacedLearner(s.r.Study.StandIns, string(l.base.Learner))...),
	})
	if err != nil {
		return x, err
	}
	if x.OverShuffle, err = s.overShuffle(x.plan); err != nil {
		return x, err
	}
	x.learned, x.work, x.scores = &out, trainFLOPs(l), make([]float64, len(s.r.Set.Examples))
	for k, i := range s.r.Fit {
		x.scores[i] = l.fit[k]
	}
	for k, i := range s.r.Test {
		x.scores[i] = l.test[k]
	}
	x.family = &family{
		name: l.name, title: l.title, kind: byThreshold, charge: l.charge(), baseline: true, overhead: l.overhead,
		fit: l.fit, test: l.test, chosen: &place{theta: &l.threshold.Theta, fit: fit, weight: x.plan.final[1]},
	}
	return x, nil
}

// decide says which scores defer.
func (l *learnedPolicy) decide(score []float64) policy.Decisions {
	d := make(policy.Decisions, len(score))
	for k, x := range score {
		d[k] = !l.threshold.Keeps(x)
	}
	return d
}

// replacedLearner returns the caveat of a row whose learner is not the one that the
// study names.
func replacedLearner(all []spec.StandIn, learner string) (notes []result.Note) {
	for _, x := range all {
		if x.Part == spec.LearnerRole && x.Model == learner {
			notes = append(notes, note.LearnerReplaced(x.Model, x.For))
		}
	}
	return notes
}

// describeLearned writes a trained baseline into the results.
func describeLearned(r *records.Records, l *learnedPolicy) result.Learned {
	f, t := l.fitted, l.threshold
	out := result.Learned{
		Policy: l.name, Title: l.title, Kind: string(l.base.Kind), Reads: l.learning().Reads,
		Predicts: l.learning().Predicts(l.base.Rules()),
		Learner:  cmp.Or(string(l.base.Learner), string(l.base.Kind)), Name: l.learner.Name(), Released: l.base.Released,
		Records: f.All.Records, Ones: f.All.Ones, Folds: folds(l), Epochs: f.All.Epochs, Passes: f.All.Passes,
		Digest: f.All.Digest, Constant: f.Constant,
		Held: judged(f.All.Held), OutOfFold: judged(f.Judged), Test: judged(router.Judge(f.Applied, l.labels[1])),
		Theta: result.Float(t.Theta), Feasible: t.Feasible, FitDeferred: t.Deferred, FLOPs: f.FLOPs, Overhead: l.overhead,
		Modelled: (*result.Modelled)(t.Modelled),
	}
	if q := l.quality; q != nil {
		out.Quality, out.Delta, out.Relative, out.FitDrop = q.name, l.base.Delta, l.base.Released, t.Value
		for k, i := range r.Test {
			if t.Keeps(l.test[k]) {
				out.TestDrop += (q.master[i] - q.student[i]) / float64(len(r.Test))
			}
		}
	} else {
		out.FitErrors = t.Value * float64(len(r.Fit))
	}
	for _, n := range l.remarks(r) {
		out.Notes = append(out.Notes, n.Text)
	}
	return out
}

// remarks returns the caveats of the fits.
func (l *learnedPolicy) remarks(r *records.Records) (out []result.Note) {
	if e, ok := l.learner.(router.Embedded); ok && e.NeedsEmbeddings() {
		out = append(out, note.EmbedderUncounted(r.Study.Embedder.Name()))
	}
	if text := l.fitted.All.Note; text != "" {
		out = append(out, result.Note{Kind: "learner", Text: text})
	}
	n := 0
	for _, fit := range l.fitted.Folds {
		if fit.Note != "" && fit.Note != l.fitted.All.Note {
			n++
		}
	}
	if n > 0 {
		out = append(out, note.Uncalibrated(n, len(l.fitted.Folds)))
	}
	return out
}

// folds returns the number of folds whose fits the threshold's scores are from; 0
// is one fit on all.
func folds(l *learnedPolicy) int {
	if l.once() {
		return 0
	}
	return records.LearnedFolds
}

func judged(j router.Judged) result.Judged { return result.Judged(j) }

// learnedNotes returns the footnotes of the row: its description and its faults.
func learnedNotes(r *records.Records, l *learnedPolicy, out result.Learned) []result.Note {
	learner := note.Learner{
		Name: out.Name, Reads: out.Reads, Estimates: cmp.Or(l.learning().Estimates, "the probability that "+out.Predicts),
		Released: l.once(), Charge: string(l.charge()),
		Overhead: charging(r, l), Cost: l.overhead, Unit: costUnit(r),
	}
	var notes []result.Note
	if m := l.threshold.Modelled; m != nil {
		n := float64(len(r.Fit))
		notes = append(notes, learner.Modelled(title(r, mainRow(r)), n*m.Error, out.FitErrors, n*m.Deferred,
			float64(out.FitDeferred)))
	} else if l.quality != nil {
		notes = append(notes, learner.Router(out.Quality, l.base.Delta, l.base.Released))
	} else {
		_, ok := affordable(r, l)
		notes = append(notes, learner.Score(title(r, mainRow(r)), ok, l.base.Released && l.learning().Compared != nil))
	}
	if l.base.Released && !l.fitted.Constant {
		notes = append(notes, note.FitSeen(out.Records-out.Held.Records, out.Held.Records))
	}
	switch t := l.threshold; {
	case l.fitted.Constant:
		notes = append(notes, note.OneLabel(out.Records, out.Predicts, out.Ones > 0, l.fitted.OutOfFold[0], t.Deferred > 0))
	case !t.Feasible:
		notes = append(notes, note.DropMissed(out.Quality, l.base.Delta, t.Value))
	case t.Kept == 0 || t.Deferred == 0:
		notes = append(notes, note.Trivial(t.Deferred > 0))
	}
	for _, n := range l.remarks(r) {
		if !l.fitted.Constant || n.Text != l.fitted.All.Note { // that is said above
			notes = append(notes, n)
		}
	}
	return notes
}

// charging returns the note on how the learner's own work is charged.
func charging(r *records.Records, l *learnedPolicy) note.Overhead {
	switch {
	case countsOperations(r):
		return note.Operations
	case r.Study.Cost.Model == cost.TFLOPs:
		return note.Uncharged
	}
	return note.Unpriced
}

// countsOperations reports whether costs are sums of operations, of which a
// learner's own can be a part.
func countsOperations(r *records.Records) bool {
	c := r.Study.Cost
	return c.Model == cost.TFLOPs && c.Summary != cost.Signature
}

// overhead returns the cost of one score, in the study's unit.
func overhead(r *records.Records, l *learnedPolicy) float64 {
	if countsOperations(r) {
		return l.fitted.FLOPs / 1e12
	}
	return 0
}
