package reports

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/result"
)

// WriteRecord prints a record for people: its prompt, what every model answered and what that is worth, and what every
// policy decided. Texts are written as they are; w is to make them safe to show.
func WriteRecord(w io.Writer, r result.Record) {
	prompt := "  " + strings.ReplaceAll(strings.TrimRight(r.Prompt, "\n"), "\n", "\n  ")
	fmt.Fprintf(w, "%s/%s · row %d · %s part · cascade %s\n\n%s\n\n", r.Dataset, r.ID, r.Row, r.Part, r.Cascade, prompt)
	if r.Class != "" {
		fmt.Fprintf(w, "reference  %s\n", r.Class)
	}
	for _, text := range r.References {
		fmt.Fprintf(w, "reference  %s\n", text)
	}
	for _, a := range r.Models {
		writeRecordAnswer(w, a, r.Part == result.PartUnused)
	}
	fmt.Fprintf(w, "\ndecisions\n")
	for _, d := range r.Decisions {
		verdict := "the student's answer stands"
		if d.Deferred {
			verdict = "the master is asked"
		}
		if len(d.Asked) > 0 && d.Stage >= 0 && d.Stage < len(r.Models) {
			verdict = "the answer of " + r.Models[d.Stage].Model + " stands"
		}
		theta := ""
		if d.Theta != nil {
			theta = fmt.Sprintf("  (θ = %.6g)", float64(*d.Theta))
			if d.Score != nil {
				theta = fmt.Sprintf("  (score %.6g, θ = %.6g)", *d.Score, float64(*d.Theta))
			}
		}
		for k, v := range d.Thetas {
			theta += fmt.Sprintf("  (θ%d = %.6g)", k+1, float64(v))
		}
		fmt.Fprintf(w, "  %-20s %s%s\n", d.Policy, verdict, theta)
	}
}

func writeRecordAnswer(w io.Writer, a result.RecordAnswer, unused bool) {
	fmt.Fprintf(w, "\n%s\n", a.Model)
	if a.Cause != "" {
		fmt.Fprintf(w, "  no answer: %s\n", a.Cause)
		return
	}
	mark := "wrong"
	switch {
	case unused:
		mark = "not used"
	case a.Correct:
		mark = "right"
	}
	fmt.Fprintf(w, "  answer     %s   (%s)\n", a.Text, mark)
	if f := backends.Finish(a.Finish); f.Cut() {
		fmt.Fprintf(w, "  cut        %s\n", a.Finish)
	}
	if a.Refused != "" {
		fmt.Fprintf(w, "  refused    %s\n", a.Refused)
	}
	fmt.Fprintf(w, "  confidence %.6f\n", a.Beta)
	estimated := ""
	switch a.Estimated {
	case "both":
		estimated = "   tokens estimated"
	case "prompt":
		estimated = "   prompt tokens estimated"
	case "completion":
		estimated = "   new tokens estimated"
	}
	fmt.Fprintf(w, "  cost       %.6g   (%d prompt tokens, %d new, %.1f ms)%s\n", a.Cost, a.Prompted, a.Completed,
		1e3*a.LatencySecs, estimated)
	if len(a.Probs) > 0 {
		fmt.Fprintf(w, "  labels    ")
		for _, p := range a.Probs {
			fmt.Fprintf(w, " %.4f", float64(p))
		}
		fmt.Fprintf(w, "\n  label mass %s\n", massWords(a.LabelMass))
	}
	for _, t := range a.Tokens {
		fmt.Fprintf(w, "  token      %-14q %8.4f  p = %.4f\n", t.Text, float64(t.Logprob), math.Exp(float64(t.Logprob)))
	}
	for _, name := range slices.Sorted(maps.Keys(a.Scores)) {
		fmt.Fprintf(w, "  %-10s %.4f\n", name, float64(a.Scores[name]))
	}
	fmt.Fprintf(w, "  key        %s\n", a.Key)
}

// massWords says how much of the probability lies on the labels.
func massWords(bounds []result.Float) string {
	switch {
	case len(bounds) != 2:
		return "not known"
	case bounds[0] == bounds[1]:
		return fmt.Sprintf("%.4g", float64(bounds[0]))
	}
	return fmt.Sprintf("%.4g to %.4g", float64(bounds[0]), float64(bounds[1]))
}
