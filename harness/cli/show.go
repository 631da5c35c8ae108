package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/backends"
	"infnet/harness/fault"
	"infnet/harness/result"
)

// showCommand shows one record.
type showCommand struct {
	runFlags
	ID string `arg:"" help:"The record: its id or row, or DATASET/ID where several datasets have it."`
}

func (c *showCommand) Run(_ context.Context, s *streams) error {
	dir, err := c.folder()
	if err != nil {
		return err
	}
	var found, rows []result.Record
	datasets := map[string]bool{}
	for l, err := range result.Records(dir) {
		if err != nil {
			return err
		}
		switch c.ID {
		case l.ID, l.Dataset + "/" + l.ID:
			found = append(found, l)
		case strconv.Itoa(l.Row), l.Dataset + "/" + strconv.Itoa(l.Row):
			rows = append(rows, l)
		}
	}
	if len(found) == 0 {
		found = rows // an id goes before a row of the same number
	}
	for _, l := range found {
		datasets[l.Dataset] = true
	}
	if len(found) == 0 {
		return fault.Usage.Wrap(fmt.Errorf("no record %q in %s: name its id or its row, such as reviews/17", c.ID, dir))
	}
	if len(datasets) > 1 {
		var names []string
		for _, d := range sorted(datasets) {
			names = append(names, d+"/"+c.ID)
		}
		return fault.Usage.Wrap(fmt.Errorf("record %q is in %d datasets: name one of %s", c.ID, len(datasets), strings.Join(names, ", ")))
	}
	for i, l := range found {
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		showLine(s.out, l)
	}
	return nil
}

// showLine prints a record for people.
func showLine(w io.Writer, l result.Record) {
	fmt.Fprintf(w, "%s/%s · row %d · %s part · cascade %s\n\n%s\n\n", clean(l.Dataset), clean(l.ID), l.Row, l.Part, clean(l.Cascade), indent(clean(l.Prompt)))
	if l.Class != "" {
		fmt.Fprintf(w, "reference  %s\n", clean(l.Class))
	}
	for _, r := range l.References {
		fmt.Fprintf(w, "reference  %s\n", clean(r))
	}
	for _, h := range l.Models {
		showHeard(w, h, l.Part == result.PartUnused)
	}
	fmt.Fprintf(w, "\ndecisions\n")
	for _, d := range l.Decisions {
		verdict := "the student's answer stands"
		if d.Deferred {
			verdict = "the master is asked"
		}
		if len(d.Asked) > 0 && d.Stage >= 0 && d.Stage < len(l.Models) {
			verdict = "the answer of " + clean(l.Models[d.Stage].Model) + " stands"
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
		fmt.Fprintf(w, "  %-20s %s%s\n", clean(d.Policy), verdict, theta)
	}
}

func showHeard(w io.Writer, h result.RecordAnswer, unused bool) {
	fmt.Fprintf(w, "\n%s\n", clean(h.Model))
	if h.Cause != "" {
		fmt.Fprintf(w, "  no answer: %s\n", clean(h.Cause))
		return
	}
	mark := "wrong"
	switch {
	case unused:
		mark = "not used"
	case h.Correct:
		mark = "right"
	}
	fmt.Fprintf(w, "  answer     %s   (%s)\n", clean(h.Text), mark)
	if f := backends.Finish(h.Finish); f.Cut() {
		fmt.Fprintf(w, "  cut        %s\n", clean(h.Finish))
	}
	if h.Refused != "" {
		fmt.Fprintf(w, "  refused    %s\n", clean(h.Refused))
	}
	fmt.Fprintf(w, "  confidence %.6f\n", h.Beta)
	estimated := map[string]string{"both": "   tokens estimated", "prompt": "   prompt tokens estimated", "completion": "   new tokens estimated"}[h.Estimated]
	fmt.Fprintf(w, "  cost       %.6g   (%d prompt tokens, %d new, %.1f ms)%s\n", h.Cost, h.Prompted, h.Completed, 1e3*h.LatencySecs, estimated)
	if len(h.Probs) > 0 {
		fmt.Fprintf(w, "  labels    ")
		for _, p := range h.Probs {
			fmt.Fprintf(w, " %.4f", float64(p))
		}
		fmt.Fprintf(w, "\n  label mass %s\n", massWords(h.LabelMass))
	}
	for _, t := range h.Tokens {
		fmt.Fprintf(w, "  token      %-14q %8.4f  p = %.4f\n", t.Text, float64(t.Logprob), math.Exp(float64(t.Logprob)))
	}
	for _, name := range slices.Sorted(maps.Keys(h.Scores)) {
		fmt.Fprintf(w, "  %-10s %.4f\n", clean(name), float64(h.Scores[name]))
	}
	fmt.Fprintf(w, "  key        %s\n", h.Key)
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

// clean makes text safe for a terminal: control characters, which could move
// the cursor or hide text, become a visible replacement; line ends stay.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// sorted returns the members of a set in order.
func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
