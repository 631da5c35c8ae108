package reports

import (
	"fmt"
	"math"

	"infnet/harness/pool"
	"infnet/harness/result"
	"infnet/sufficiency"
)

// sufficiencyWords says what the tests of sufficiency found; empty where there were none. A test that finds
// nothing is no proof that there is nothing.
func sufficiencyWords(q *result.Sufficiency) (words string, found bool) {
	if q == nil || len(q.Rows) == 0 {
		return "", false
	}
	least, seen, hint := math.Inf(1), 0.0, (*sufficiency.Row)(nil)
	var open int
	for i := range q.Rows {
		r := &q.Rows[i]
		switch {
		case r.State == sufficiency.Undecided:
			open++
		case r.State != sufficiency.Tested:
		case r.Finding && (hint == nil || r.Holm < hint.Holm):
			hint, least = r, min(least, r.Holm)
		default:
			least = min(least, r.Holm)
			if r.PCM != nil {
				seen = max(seen, r.PCM.Covariance.Seen)
			}
		}
	}
	switch {
	case hint != nil && hint.Holm <= q.Alpha && hint.Gain.Value <= 0:
		return fmt.Sprintf("The confidence is not sufficient: %s tells more (adjusted p %s), but trees predict no better "+
			"with it here.", short(hint.Set), pWords(hint.Holm)), true
	case hint != nil && hint.Holm <= q.Alpha:
		return fmt.Sprintf("The confidence is not sufficient: %s helps to tell where to defer (adjusted p %s).",
			short(hint.Set), pWords(hint.Holm)), true
	case hint != nil:
		return fmt.Sprintf("There is a hint that %s tells more than the confidence (p %s; adjusted for all tests p %s).",
			short(hint.Set), pWords(hint.P), pWords(hint.Holm)), true
	case open > 0:
		return "Whether the confidence is sufficient cannot be decided here.", false
	case math.IsInf(least, 1):
		return "Whether the confidence is sufficient could not be tested.", false
	}
	words = fmt.Sprintf("No test found anything that tells more than the confidence (smallest adjusted p %s)",
		pWords(least))
	switch {
	case seen > 1:
		words += "; there are too few records to find even a large effect"
	case seen > 0:
		words += fmt.Sprintf("; a steady effect of %.0f points would probably have been found", math.Ceil(100*seen))
	}
	return words + ".", false
}

// pWords is a p-value with its sign: "= 0.012".
func pWords(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return "= " + fmt.Sprint(math.Round(1000*p)/1000)
}

// poolOutcome is the best that can be said of any cascade of a pool.
func poolOutcome(d *result.PoolDataset) Verdict {
	out := NotWorthIt
	for _, saving := range d.Savings {
		switch v := saving.Rival; {
		case v == nil || v.Verdict == string(pool.NotWorthIt):
		case v.Verdict == string(pool.WorthIt):
			return WorthIt
		default:
			out = NotShown
		}
	}
	return out
}

// poolHeadline is a pool on one dataset.
func poolHeadline(s *result.Results, p *result.Pool, d *result.PoolDataset) Headline {
	h := Headline{Cascade: p.Name, Dataset: d.Name, Models: p.Models, Pool: true}
	o := &outcome{s: s, c: &result.Cascade{Models: p.Models}}
	if lost := d.Counts.Records - d.Counts.Used; p.Incomplete && lost > 0 {
		h.Verdict = Incomplete
		h.Result = fmt.Sprintf("INCOMPLETE: %d of %s lack an answer%s, and the study allows fewer.", lost,
			plural(d.Counts.Records, "record"), causes(d.Counts.Missing))
		h.Action = "No conclusion until they are there."
		return h
	}
	h.Verdict = poolOutcome(d)
	h.Result = sentence(poolVerdict(d))
	h.Flips = (&outcome{c: o.c, d: &result.Dataset{Counts: d.Counts}}).flipLine(nil, "", d.Flips,
		func(to string) string {
			return " would " + verdictBecomes[to]
		})
	h.Action = o.notTheirs()
	h.Caveats = weigh(poolNotes(d), d.Counts)
	return h
}
