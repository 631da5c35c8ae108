package analyze

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/baseline"
	"infnet/harness/policy"
	"infnet/harness/pool"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/seed"
	"infnet/harness/spec"
	"infnet/metrics"
)

// baselines adds the rows of the study's baselines, and of a chain those of each model
// between the first and the last.
func (t *table) baselines(learned []learnedPolicy) error {
	for _, base := range t.r.Study.Baselines {
		known := baseline.Of(base.Kind)
		var e entry
		switch {
		case t.r.IsChain() && (known.Learns != nil || base.Numpy || base.Kind == baseline.Fixed):
			continue // for two models; the pairs have these rows
		case known.Learns != nil:
			name, _ := learnedRowOf(base)
			at := slices.IndexFunc(learned, func(l learnedPolicy) bool { return l.name == name })
			if at < 0 {
				continue // it had too few records to learn from
			}
			if err := t.add(learnedRow(t.s, &learned[at])); err != nil {
				return err
			}
			continue
		case known.Coin:
			e = coins(t.r, base)
		default:
			e = placed(t.r, known, base)
		}
		x, err := t.s.row(e)
		if err == nil && e.chance != nil {
			drawCoins(t.s, base, &x.Row)
		}
		if err := t.add(x, err); err != nil {
			return err
		}
	}
	for m := 1; m < t.r.Last(); m++ {
		e := entry{name: fmt.Sprintf("only-%d", m+1), title: t.r.Cascade.Models[m] + " alone", baseline: true,
			charge: baseline.Of(baseline.All).Charge, test: slices.Repeat([]int{m}, len(t.r.Test)), beside: nobody}
		if err := t.add(t.s.row(e)); err != nil {
			return err
		}
	}
	return nil
}

// placed is the row of a baseline that chooses one model for each record.
func placed(r *records.Records, known baseline.Baseline, base spec.Baseline) entry {
	in := baselineInput(r)
	in.Threshold = base.Threshold
	if r.Study.Policy.Setting == policy.Oracle {
		clear(in.Fit.Err[r.Last()]) // the master is right by definition
		clear(in.Test.Err[r.Last()])
	}
	e := entry{name: string(known.Kind), title: known.Title, baseline: true, charge: known.Charge, test: known.Place(in)}
	if base.Kind == baseline.Fixed {
		e.name, e.title = e.name+"-"+fraction(base.Threshold), e.title+" "+fraction(base.Threshold)
	}
	if known.Caveat != nil {
		e.notes = []result.Note{{Kind: "oracle", Text: known.Caveat(r.IsChain())}}
	}
	switch {
	case known.Constant:
		e.beside = itself
	case known.Foresees:
		e.beside = unasked
	}
	return e
}

func baselineInput(r *records.Records) baseline.Input {
	part := func(examples []int) baseline.Part {
		p := baseline.Part{Beta: records.Pick(r.Student().Beta, examples)}
		for _, m := range r.Models {
			p.Err = append(p.Err, m.Errors(examples))
		}
		return p
	}
	return baseline.Input{Fit: part(r.Fit), Test: part(r.Test), Cost: r.Summaries(),
		Raw: records.Pick(r.Student().Raw, r.Test)}
}

// evenCoin is the probability of deferral of the random row with the default name.
const evenCoin = 0.5

// coins is the row of a coin per record before every further model: its exact
// expectation, or the single draw that numpy would make.
func coins(r *records.Records, base spec.Baseline) entry {
	known := baseline.Of(base.Kind)
	e := entry{name: string(base.Kind), title: known.Title, baseline: true, charge: known.Charge}
	if base.Numpy {
		e.name, e.title = fmt.Sprintf("%s-numpy-%d", e.name, base.NumpySeed), fmt.Sprintf("%s (numpy %d)", e.title,
			base.NumpySeed)
		e.test = make([]int, len(r.Test))
		toss(e.test, r.Last(), base.P, rand.New(seed.NewNumPy(base.NumpySeed)))
		return e
	}
	if base.P != evenCoin {
		e.name, e.title = e.name+"-"+fraction(base.P), fmt.Sprintf("%s (P = %s)", e.title, fraction(base.P))
	}
	e.beside = unasked
	gets := 1.0
	for m := range r.Models {
		chance := gets
		if m < r.Last() {
			chance, gets = float64(gets*(1-base.P)), float64(gets*base.P)
		}
		e.chance = append(e.chance, slices.Repeat([]float64{chance}, len(r.Test)))
	}
	return e
}

func toss(final []int, last int, p float64, rng *rand.Rand) {
	for k := range final {
		for final[k] = student; final[k] < last && rng.Float64() < p; {
			final[k]++
		}
	}
}

// drawCoins draws the coins base.Draws times. For metrics that are not means over
// records (F1, BLEU, chrF), the expectation is not the value at the expected
// counts, so the mean over draws replaces it. A note gives the spread of single
// draws.
func drawCoins(s *measurer, base spec.Baseline, row *result.Row) {
	rng := seed.Stream(s.r.Study.Seed, string(base.Kind), s.r.Stream(), fraction(base.P))
	isMean := func(m metrics.Metric) bool { return m.Name == metrics.Accuracy || m.Counts == nil && m.Sums == nil }
	values, tally := make([][]float64, len(s.metrics)), s.tally(student)
	for range base.Draws {
		toss(tally.final, s.r.Last(), base.P, rng)
		tally.recount()
		for i, m := range s.metrics {
			if i == 0 || !isMean(m) {
				values[i] = append(values[i], tally.value(m))
			}
		}
	}
	var averaged []string
	for i, m := range s.metrics {
		if isMean(m) {
			continue
		}
		v, mean := row.Metrics[string(m.Name)], average(values[i])
		shift := mean - v.Value
		v.Value, v.Low, v.High = mean, max(m.Low, v.Low+shift), min(m.High, v.High+shift)
		row.Metrics[string(m.Name)] = v
		averaged = append(averaged, m.Title)
	}
	first := slices.Sorted(slices.Values(values[0]))
	tail := int((1 - s.r.Study.Report.Level) / 2 * float64(len(first)))
	exact, stages := "The exact expectation", ""
	if len(averaged) > 0 {
		exact += fmt.Sprintf(" (%s: the mean of %d draws)", strings.Join(averaged, ", "), base.Draws)
	}
	if s.r.IsChain() {
		stages = " at every stage"
	}
	n := note.Say("random", "%s of deferring with probability %s%s. %d single draws gave a mean %s of %.4f, %.0f %% of "+
		"them between %.4f and %.4f.", exact, fraction(base.P), stages, base.Draws, s.metrics[0].Title, average(first),
		100*s.r.Study.Report.Level, first[tail], first[len(first)-1-tail])
	if row.Rival != nil && row.Rival.Verdict == string(pool.NotWorthIt) {
		n.Text += " Worth it? No: " + note.Cheaper(row.Rival) + "."
	}
	row.Notes = append(row.Notes, n)
}

// answersSaid numbers the models' answers to an example: equal ones have equal numbers, as classes and votes of samples
// are equal. What states no answer equals nothing; its number is negative.
func answersSaid(r *records.Records, i int) []int {
	out, answers := make([]int, len(r.Models)), make([]backends.Answer, len(r.Models))
	for m := range out {
		if out[m] = -1 - m; r.Classifies() {
			out[m] = r.Models[m].Class[i]
		} else {
			answers[m] = r.Models[m].Head(i)
		}
	}
	if r.Classifies() {
		return out
	}
	for g, group := range r.Sheet.Votes(answers) {
		for _, m := range group {
			out[m] = g
		}
	}
	return out
}
