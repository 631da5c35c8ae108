package analyze

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/result"
	"infnet/harness/router"
	"infnet/harness/spec"
)

// learnedRow adds the row of a baseline that learned.
func (b *Bench) learnedRow(s *scorer, base spec.Baseline) error {
	at := slices.IndexFunc(b.learned, func(l learnedPolicy) bool { return l.base == base })
	if at < 0 {
		return nil // too few records, said in a note
	}
	l := &b.learned[at]
	decide := func(score []float64) policy.Decisions {
		d := make(policy.Decisions, len(score))
		for k, x := range score {
			d[k] = !l.threshold.Keeps(x)
		}
		return d
	}
	d, before := decide(l.test), decide(l.fit)
	p := s.pair(weights(d), l.charge())
	p.overhead = l.overhead
	row, err := s.measure(l.name, l.title, p)
	if err != nil {
		return err
	}
	b.decide(l.name, b.test, d)
	b.decide(l.name, b.fit, before)
	b.rememberScores(l)
	out := b.describeLearned(l)
	row.Baseline = true
	row.Notes = append(row.Notes, b.learnedNotes(l, out)...)
	row.Notes = append(row.Notes, replacedLearner(b.in.Study.StandIns, string(base.Learner), base.Encoder)...)
	b.out.Rows = append(b.out.Rows, row)
	b.out.Learned = append(b.out.Learned, out)
	return b.offer(family{
		name: l.name, title: l.title, kind: byThreshold, charge: l.charge(), baseline: true, overhead: l.overhead,
		fit: l.fit, test: l.test, chosen: &place{theta: &l.threshold.Theta, fit: before, weight: weights(d)},
	})
}

// replacedLearner is the caveat of a row whose learner is not the one that the
// study names: the language models are the study's own.
func replacedLearner(all []spec.StandIn, learner, encoder string) (notes []result.Note) {
	for _, x := range all {
		if x.Part == spec.EncoderRole && (x.Model == learner || x.Model == encoder) {
			notes = append(notes, result.Note{Kind: "learner", Text: fmt.Sprintf("Learned by %s in place of %s, the encoder that the study names: this row says nothing of the encoder.", x.Model, x.For)})
		}
	}
	return notes
}

// rememberScores keeps what a policy compared with its threshold.
func (b *Bench) rememberScores(l *learnedPolicy) {
	k := slices.IndexFunc(b.decisions, func(d Decided) bool { return d.Name == l.name })
	scores := map[int]float64{}
	for n, i := range b.fit {
		scores[i] = l.fit[n]
	}
	for n, i := range b.test {
		scores[i] = l.test[n]
	}
	b.decisions[k].Scores, b.decisions[k].Cut = scores, l.threshold.Theta
}

// describeLearned writes a trained baseline into the results.
func (b *Bench) describeLearned(l *learnedPolicy) result.Learned {
	f, t := l.fitted, l.threshold
	out := result.Learned{
		Policy: l.name, Title: l.title, Kind: string(l.base.Kind), Reads: "query and the student's answer", Predicts: "the student's answer is right",
		Learner: string(l.base.Learner), Name: l.learner.Name(), Released: l.base.Released,
		Records: f.All.Records, Ones: f.All.Ones, Folds: learnedFolds, Epochs: f.All.Epochs, Passes: f.All.Passes, Digest: f.All.Digest, Constant: f.Constant,
		Held: judged(f.All.Held), OutOfFold: judged(f.Judged), Test: judged(router.Judge(f.Applied, l.labels[1])),
		Theta: result.Float(t.Theta), Feasible: t.Feasible, FitDeferred: t.Deferred, FLOPs: f.FLOPs, Overhead: l.overhead,
	}
	if q := l.quality; q != nil {
		out.Reads, out.Predicts = "query", "the student's answer is at least as good as the master's"
		if l.base.Released {
			out.Predicts = "the student's answer is better than the master's"
		}
		out.Quality, out.Delta, out.Relative, out.FitDrop = q.name, l.base.Delta, l.base.Relative, t.Value
		for k, i := range b.test {
			if t.Keeps(l.test[k]) {
				out.TestDrop += (q.master[i] - q.student[i]) / float64(len(b.test))
			}
		}
	} else {
		out.FitErrors = t.Value * float64(len(b.fit))
	}
	if e, ok := l.learner.(router.Embedded); ok && e.NeedsEmbeddings() {
		out.Notes = append(out.Notes, fmt.Sprintf("The learner looks at embeddings by %q, whose own compute is not counted.", b.in.Study.Embedder.Name()))
	}
	for _, note := range l.remarks() {
		if !slices.Contains(out.Notes, note) {
			out.Notes = append(out.Notes, note)
		}
	}
	return out
}

// remarks are the caveats of the fits.
func (l *learnedPolicy) remarks() []string {
	var out []string
	if note := l.fitted.All.Note; note != "" {
		out = append(out, note)
	}
	n := 0
	for _, r := range l.fitted.Folds {
		if r.Note != "" && r.Note != l.fitted.All.Note {
			n++
		}
	}
	if n > 0 {
		out = append(out, fmt.Sprintf("Of the %d fits that made the out-of-fold scores, %d %s: on the records that they held out a larger score did not go with more labels of 1, or nothing at all was learned.", len(l.fitted.Folds), n, map[bool]string{true: "was not calibrated", false: "were not calibrated"}[n == 1]))
	}
	return out
}

func judged(j router.Judged) result.Judged { return result.Judged(j) }

// learnedNotes are the footnotes of the row: what it is, and what went wrong.
func (b *Bench) learnedNotes(l *learnedPolicy, out result.Learned) []result.Note {
	text := fmt.Sprintf("A learner (%s) reads the %s and estimates the probability that %s; the threshold is from out-of-fold scores of the fit part. ", out.Name, out.Reads, out.Predicts)
	switch {
	case l.quality != nil:
		drop := fraction(l.base.Delta)
		if l.base.Relative {
			drop += " of the master's"
		}
		text += fmt.Sprintf("It saves most with a mean %s at most %s below the master's (δ). Charged as a %s", out.Quality, drop, l.charge())
		if l.base.Released {
			text += ", as the published rows are, though tuned as a router, with labels and δ as in the paper"
		}
	default:
		if _, ok := b.affordable(l); ok {
			text += fmt.Sprintf("It makes the fewest errors at no more than the cost of %s on the fit part", b.title(b.main()))
		} else {
			text += fmt.Sprintf("The learner alone costs more than all that %s defers on the fit part, so it never asks the master and is dearer all the same", b.title(b.main()))
		}
		text += ". Charged as a cascade"
		if l.base.Released {
			text += ". As in the authors' code the score is the larger of P(right) and P(wrong), so that a sure verdict of \"wrong\" is accepted too"
		}
	}
	text += "; " + b.overheadWords(l)
	notes := []result.Note{{Kind: "learned", Text: text}}
	switch t := l.threshold; {
	case l.fitted.Constant:
		notes = append(notes, result.Note{Kind: "one-label", Text: fmt.Sprintf(
			"All %d records of the fit part have one label (%s: %s): there was nothing to learn, every score is %g, and the policy %s.",
			out.Records, out.Predicts, map[bool]string{true: "always", false: "never"}[out.Ones > 0], l.fitted.OutOfFold[0], allOrNone(t))})
	case !t.Feasible:
		notes = append(notes, result.Note{Kind: "delta", Text: fmt.Sprintf(
			"No threshold keeps the drop of the mean %s within δ = %s on the fit part; this is the nearest, with %.4g.", out.Quality, fraction(l.base.Delta), t.Value)})
	case t.Kept == 0 || t.Deferred == 0:
		notes = append(notes, result.Note{Kind: "trivial", Text: fmt.Sprintf("On the fit part the best threshold does without the learner: the policy %s.", allOrNone(t))})
	}
	for _, remark := range out.Notes {
		if !strings.HasPrefix(remark, "All ") { // said above
			notes = append(notes, result.Note{Kind: "learner", Text: remark})
		}
	}
	return notes
}

// overheadWords say what a query pays for its score.
func (b *Bench) overheadWords(l *learnedPolicy) string {
	c := b.in.Study.Cost
	switch {
	case b.countsOperations():
		return fmt.Sprintf("every query also pays the learner's own operations, %.3g %s.", l.overhead, b.costUnit())
	case c.Model == cost.TFLOPs:
		return "the learner's own operations are not charged, since the summary of costs is no sum of operations."
	case !l.base.Priced:
		return "what the learner itself costs is not known and charged as 0: learner_cost states it."
	}
	return strings.TrimSpace(fmt.Sprintf("every query also pays the learner, %.3g %s", l.overhead, b.costUnit())) + "."
}

// countsOperations reports whether costs are sums of operations, of which a
// learner's own can be a part.
func (b *Bench) countsOperations() bool {
	c := b.in.Study.Cost
	return c.Model == cost.TFLOPs && c.Summary != cost.Signature
}

// overhead is what making one score costs, in the study's unit.
func (b *Bench) overhead(l *learnedPolicy) float64 {
	switch {
	case b.countsOperations():
		return l.fitted.FLOPs / 1e12
	case b.in.Study.Cost.Model == cost.TFLOPs:
		return 0
	}
	return l.base.Cost
}

// allOrNone says what a threshold that divides nothing does.
func allOrNone(t router.Threshold) string {
	if t.Deferred == 0 {
		return "never asks the master"
	}
	return "always asks the master"
}

// noteTwoModels says, once, why a chain has no rows of baselines that learn.
func (b *Bench) noteTwoModels() {
	const kind = "two-models"
	if !slices.ContainsFunc(b.out.Notes, func(n result.Note) bool { return n.Kind == kind }) {
		b.out.Notes = append(b.out.Notes, result.Note{Kind: kind, Text: "FrugalGPT and HybridLLM decide between two models: their rows are in the tables of the pairs that this chain contains."})
	}
}
