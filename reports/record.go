package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/calc"
	"infnet/harness/result"
)

// Described is a record in words and rounded numbers: what the page shows of a record that is opened. Texts are as
// the dataset and the models wrote them.
type Described struct {
	Heading    string              `json:"heading"`
	Prompt     string              `json:"prompt"`
	References []string            `json:"references,omitempty"`
	Answers    []DescribedAnswer   `json:"answers"`
	Decisions  []DescribedDecision `json:"decisions"`
}

// DescribedAnswer is what one model answered.
type DescribedAnswer struct {
	Model string      `json:"model"`
	Cause string      `json:"cause,omitempty"` // why there is no answer; then the rest is empty
	Text  string      `json:"text"`
	Mark  string      `json:"mark"`  // right, wrong or not used
	Facts [][2]string `json:"facts"` // name and value, in the order in which they are shown
}

// DescribedDecision is what one policy decided.
type DescribedDecision struct {
	Policy  string `json:"policy"`
	Verdict string `json:"verdict"`
	Rule    string `json:"rule,omitempty"` // what was compared with which threshold
}

// Describe puts a record into words.
func Describe(r result.Record) Described {
	d := Described{
		Heading: fmt.Sprintf("%s/%s · row %d · %s part · cascade %s", r.Dataset, r.ID, r.Row, r.Part, r.Cascade),
		Prompt:  strings.TrimRight(r.Prompt, "\n"),
	}
	if r.Class != "" {
		d.References = append(d.References, r.Class)
	}
	d.References = append(d.References, r.References...)
	for _, a := range r.Models {
		d.Answers = append(d.Answers, describeAnswer(a, r.Part == result.PartUnused))
	}
	for _, made := range r.Decisions {
		d.Decisions = append(d.Decisions, describeDecision(r, made))
	}
	return d
}

func describeDecision(r result.Record, made result.Decision) DescribedDecision {
	d := DescribedDecision{Policy: made.Policy, Verdict: "the student's answer stands"}
	if made.Deferred {
		d.Verdict = "the master is asked"
	}
	if len(made.Asked) > 0 && made.Stage >= 0 && made.Stage < len(r.Models) {
		d.Verdict = "the answer of " + r.Models[made.Stage].Model + " stands"
	}
	if made.Theta != nil {
		d.Rule = fmt.Sprintf("  (θ = %.6g)", float64(*made.Theta))
		if made.Score != nil {
			d.Rule = fmt.Sprintf("  (score %.6g, θ = %.6g)", *made.Score, float64(*made.Theta))
		}
	}
	for k, v := range made.Thetas {
		d.Rule += fmt.Sprintf("  (θ%d = %.6g)", k+1, float64(v))
	}
	d.Rule = strings.TrimPrefix(d.Rule, "  ")
	return d
}

func describeAnswer(a result.RecordAnswer, unused bool) DescribedAnswer {
	d := DescribedAnswer{Model: a.Model, Cause: a.Cause}
	if a.Cause != "" {
		return d
	}
	d.Text, d.Mark = a.Text, "wrong"
	switch {
	case unused:
		d.Mark = "not used"
	case a.Correct:
		d.Mark = "right"
	}
	add := func(name, format string, args ...any) {
		d.Facts = append(d.Facts, [2]string{name, fmt.Sprintf(format, args...)})
	}
	if f := backends.Finish(a.Finish); f.Cut() {
		add("cut", "%s", a.Finish)
	}
	if a.Refused != "" {
		add("refused", "%s", a.Refused)
	}
	if a.Judge != nil {
		add("judge", "%s, with confidence %.4f", d.Mark, *a.Judge)
	}
	if a.Human != nil {
		add("people", "%s", map[bool]string{true: "right", false: "wrong"}[*a.Human])
	}
	add("confidence", "%.6f", a.Beta)
	if a.Votes != nil {
		add("votes", "%s", a.Voted())
	}
	estimated := ""
	switch a.Estimated {
	case "both":
		estimated = "   tokens estimated"
	case "prompt":
		estimated = "   prompt tokens estimated"
	case "completion":
		estimated = "   new tokens estimated"
	}
	took := "" // nobody measured
	if a.LatencySecs > 0 {
		took = fmt.Sprintf(", %.1f ms", 1e3*a.LatencySecs)
	}
	add("cost", "%.6g   (%d prompt tokens, %d new%s)%s", a.Cost, a.Prompted, a.Completed, took, estimated)
	if len(a.Probs) > 0 {
		probs := make([]string, len(a.Probs))
		for k, p := range a.Probs {
			probs[k] = fmt.Sprintf("%.4f", float64(p))
		}
		add("labels", "%s", strings.Join(probs, " "))
		switch m := a.LabelMass; {
		case len(m) != 2:
			add("label mass", "not known")
		case m[0] == m[1]:
			add("label mass", "%.4g", float64(m[0]))
		default:
			add("label mass", "%.4g to %.4g", float64(m[0]), float64(m[1]))
		}
	}
	for _, t := range a.Tokens {
		add("token", "%-14q %8.4f  p = %.4f", t.Text, float64(t.Logprob), calc.Exp(float64(t.Logprob)))
	}
	for _, name := range slices.Sorted(maps.Keys(a.Scores)) {
		add(name, "%.4f", float64(a.Scores[name]))
	}
	add("key", "%s", a.Key)
	return d
}
