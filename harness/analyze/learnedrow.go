package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/router"
	"infnet/harness/spec"
	"infnet/metrics"
)

func learnedRow(s *measurer, l *learnedPolicy) (row, error) {
	out, fit, test := describeLearned(s.r, l), places(l.decide(l.fit)), places(l.decide(l.test))
	charge, notes := l.learning.Charge(l.base.Rules()), learnedNotes(s.r, l, out)
	for _, x := range s.r.Study.StandIns {
		if x.Part == spec.LearnerRole && x.Model == string(l.base.Learner) {
			notes = append(notes, note.Say("stand-in-learner", "Learned by %s in place of %s, the program that the study "+
				"names: this row says nothing of the program.", x.Model, x.For))
		}
	}
	x, err := s.row(entry{name: l.name, title: l.title, baseline: true, charge: charge, overhead: l.overhead, fit: fit,
		test: test, notes: notes})
	if err != nil {
		return x, err
	}
	x.learned, x.scores = &out, make([]float64, len(s.r.Set.Examples))
	for k, i := range s.r.Fit {
		x.scores[i] = l.fit[k]
	}
	for k, i := range s.r.Test {
		x.scores[i] = l.test[k]
	}
	x.family = &family{
		name: l.name, title: l.title, kind: byThreshold, charge: charge, baseline: true, overhead: l.overhead,
		fit: l.fit, test: l.test, chosen: &decided{&l.threshold.Theta, fit, test},
	}
	return x, nil
}

func (l *learnedPolicy) decide(score []float64) policy.Decisions {
	d := make(policy.Decisions, len(score))
	for k, x := range score {
		d[k] = !l.threshold.Keeps(x)
	}
	return d
}

func describeLearned(r *records.Records, l *learnedPolicy) result.Learned {
	f, t := l.fitted, l.threshold
	out := result.Learned{
		Policy: l.name, Title: l.title, Kind: string(l.base.Kind), Reads: l.learning.Reads,
		Predicts: l.learning.Predicts(l.base.Rules()),
		Learner:  cmp.Or(string(l.base.Learner), string(l.base.Kind)), Name: l.learner.Name, Released: l.base.Released,
		Records: f.All.Records, Ones: f.All.Ones, Epochs: f.All.Epochs, Passes: f.All.Passes,
		Digest: f.All.Digest, Constant: f.Constant,
		Held: result.Judged(f.All.Held), OutOfFold: result.Judged(f.Judged),
		Test:  result.Judged(router.Judge(f.Applied, l.labels[1])),
		Theta: result.Float(t.Theta), Feasible: t.Feasible, FitDeferred: t.Deferred, FLOPs: f.FLOPs, Overhead: l.overhead,
		Modelled: (*result.Modelled)(t.Modelled),
	}
	if !l.once() {
		out.Folds = records.LearnedFolds // whose fits the threshold's scores are from; 0 is one fit on all
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

func (l *learnedPolicy) remarks(r *records.Records) (out []result.Note) {
	if l.learner.Embeds {
		out = append(out, note.Say("learner", "The learner looks at embeddings by %q, whose own compute is not counted.",
			r.Study.Embedder.Name()))
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
		were := map[bool]string{true: "was", false: "were"}[n == 1]
		out = append(out, note.Say("learner", "Of the %d fits that made the out-of-fold scores, %d %s not calibrated: on "+
			"the records "+
			"that they held out a larger score did not go with more labels of 1, or nothing at all was learned.",
			len(l.fitted.Folds), n, were))
	}
	return out
}

func learnedNotes(r *records.Records, l *learnedPolicy, out result.Learned) []result.Note {
	scores := "out-of-fold scores of the fit part"
	if l.once() {
		scores = "scores of the fit part by the same fit"
	}
	notes := []result.Note{note.Say("learned", "A learner (%s) reads the %s and estimates %s; the threshold is from %s. "+
		"%s; %s", out.Name, out.Reads, cmp.Or(l.learning.Estimates, "the probability that "+out.Predicts), scores,
		l.thresholdWords(r, out), l.overheadWords(r))}
	if l.base.Released && !l.fitted.Constant {
		by := ""
		if out.Held.Records > 0 {
			by = fmt.Sprintf(", and stopped and calibrated by the other %d", out.Held.Records)
		}
		notes = append(notes, note.Say("fit-seen", "As in the authors' code one fit scores everything: it was trained on %d "+
			"of the records of the fit part that its threshold is fitted to%s. Scores of records that a fit saw are better "+
			"than those of new records, so the threshold suits the fit part better than the test part, of which the fit saw "+
			"nothing.", out.Records-out.Held.Records, by))
	}
	defers := map[bool]string{true: "always asks the master", false: "never asks the master"}[l.threshold.Deferred > 0]
	switch t := l.threshold; {
	case l.fitted.Constant:
		label := map[bool]string{true: "always", false: "never"}[out.Ones > 0]
		notes = append(notes, note.Say("one-label", "All %d records of the fit part have one label (%s: %s): there was "+
			"nothing to learn, every score is %g, and the policy %s.", out.Records, out.Predicts, label,
			l.fitted.OutOfFold[0], defers))
	case !t.Feasible:
		notes = append(notes, note.Say("delta", "No threshold keeps the drop of the mean %s within δ = %s on the fit part; "+
			"this is the nearest, with %.4g.", out.Quality, fraction(l.base.Delta), t.Value))
	case t.Kept == 0 || t.Deferred == 0:
		notes = append(notes, note.Say("trivial", "On the fit part the best threshold does without the learner: the policy "+
			"%s.", defers))
	}
	for _, n := range l.remarks(r) {
		if !l.fitted.Constant || n.Text != l.fitted.All.Note { // that is said above
			notes = append(notes, n)
		}
	}
	return notes
}

// thresholdWords say what the threshold does, and how the row is charged.
func (l *learnedPolicy) thresholdWords(r *records.Records, out result.Learned) string {
	ours, charged := title(r, mainRow(r)), fmt.Sprintf(". Charged as a %s", l.learning.Charge(l.base.Rules()))
	_, able := affordable(r, l)
	switch m := l.threshold.Modelled; {
	case m != nil:
		tenth := func(x float64) float64 { return math.Round(10*x) / 10 }
		n := float64(len(r.Fit))
		return fmt.Sprintf("A joint distribution of both models' confidences expects it to err least at no more than the "+
			"cost of %s: %v errors and %v deferrals on the fit part, where there are %v and %d", ours, tenth(n*m.Error),
			tenth(n*m.Deferred), tenth(out.FitErrors), out.FitDeferred) + charged
	case l.quality != nil:
		drop := fraction(l.base.Delta)
		if l.base.Released {
			drop += " of the master's"
		}
		if l.once() {
			charged += ", as the published rows are, though tuned as a router, with labels and δ as in the paper"
		}
		return fmt.Sprintf("It saves most with a mean %s at most %s below the master's (δ)", out.Quality, drop) + charged
	case l.base.Released && l.learning.Compared != nil:
		charged += ". As in the authors' code the score is the larger of P(right) and P(wrong), so that a sure verdict of " +
			"\"wrong\" is accepted too"
	}
	if able {
		return "It makes the fewest errors at no more than the cost of " + ours + " on the fit part" + charged
	}
	return "The learner alone costs more than all that " + ours + " defers on the fit part, so it never asks the master " +
		"and is dearer all the same" + charged
}

func (l *learnedPolicy) overheadWords(r *records.Records) string {
	switch {
	case countsOperations(r):
		return fmt.Sprintf("every query also pays the learner's own operations, %.3g %s.", l.overhead, costUnit(r))
	case r.Study.Cost.Model == cost.TFLOPs:
		return "the learner's own operations are not charged, since the summary of costs is no sum of operations."
	}
	return "what the learner itself costs is not known and charged as 0: cost.model = \"tflops\" counts it."
}

// quality is the quality of a pair's answers for a router, by example. Larger is
// better, on the scale that a drop in quality is stated in.
type quality struct {
	name            string // for tables
	student, master []float64
}

// qualities returns the quality of the answers. For classification it is
// correctness (1 − error, under the dataset's rule), and so it is where there is no
// reference, only a recorded grade. For everything else it is the
// study's scorer (BARTScore, with the reference as the source), or token F1 with
// the best reference if there is no scorer. In the oracle setting nothing is
// scored, and the reference is the master's answer.
func qualities(r *records.Records) (*quality, error) {
	n := len(r.Set.Examples)
	q := &quality{student: make([]float64, n), master: make([]float64, n)}
	worth := func(m, i int) (float64, error) {
		switch {
		case r.Classifies() || !r.Referenced():
			q.name = "correctness"
			return 1 - r.Models[m].Errs[i], nil
		case !r.Study.Scores(r.Dataset):
			q.name = "token F1"
			return metrics.ScoreTokenF1(r.Text(m, i), r.Accepted(i)), nil
		}
		q.name = "BARTScore"
		given, err := records.Scored(r, r.Text(m, i), r.Set.Examples[i].References)
		if err != nil {
			return 0, fmt.Errorf("record %s: %w", r.Set.Examples[i].ID, err)
		}
		return slices.Max(given), nil
	}
	var err error
	take := kept[float64](&err)
	for _, i := range used(r) {
		q.student[i], q.master[i] = take(worth(student, i)), take(worth(r.Last(), i))
		if err != nil {
			return nil, err
		}
	}
	return q, nil
}
