package reports

import (
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/reports/table"
)

// belowShort says what is below a table in LaTeX, where a table longer than itself helps nobody: a line on how to read
// it and the footnotes that matter most, limit lines at most. All of them are in NAME.md and data.md.
func belowShort(s *result.Results, t *table.Table, limit int) *table.Short {
	out := &table.Short{Of: make([]int, len(t.Notes))}
	if limit > 0 {
		out.Remark = gist(s, t)
	}
	if len(out.Remark) > 0 {
		limit--
	}
	type line struct {
		text   string
		weight int
	}
	var lines []line
	of := make([]string, len(t.Notes)) // the text that stands for each note
	for i, n := range t.Notes {
		c, _ := caveatOf(note.Kind(n.Kind))
		text, weight := c.line, slices.Index(inPrint, note.Kind(n.Kind))
		if text == "" || text == noWords { // the note has its own few words
			text = FirstSentence(n.Text, lineRoom)
		}
		if weight < 0 {
			weight = slices.Index(inPrint, "")
		}
		of[i] = text
		if text != "" && !slices.Contains(lines, line{text, weight}) {
			lines = append(lines, line{text, weight})
		}
	}
	kept := slices.Clone(lines)
	slices.SortStableFunc(kept, func(a, b line) int { return a.weight - b.weight })
	kept = kept[:min(len(kept), max(limit, 0))]
	for _, l := range lines { // in the order in which the table marks them
		if slices.Contains(kept, l) {
			out.Notes = append(out.Notes, l.text)
		}
	}
	for i := range t.Notes {
		out.Of[i] = slices.Index(out.Notes, of[i])
	}
	return out
}

// inPrint is the order in which a table that may have few footnotes keeps them: what bears on all that it shows comes
// first, what explains a row last. "" stands for whatever is not in the list.
var inPrint = []note.Kind{"incomplete", "hidden", "embedder", "slower", "form", "overlap",
	"padding", "unconfirmed", "wide", "stand-in-embedder", "stand-in-scorer",
	"stand-in-learner", "near-zero", "chance", "responders", "infeasible", "budget-missed", "small", "missing",
	"estimated", "single-model", "own-cost", "uncertified", "certified", "split", "unseen", "label-mass",
	"truncated", "cut", "skipped", "charging", "never-predicted", "", "oracle", "random", "learner", "learned",
	"empty", "dropped", "value"}

const lineRoom = 180

// FirstSentence cuts a text after its first sentence, and at a word where that has more characters than the limit.
func FirstSentence(text string, limit int) string {
	for _, end := range []string{". ", "? "} {
		if i := strings.Index(text, end); i >= 0 {
			text = text[:i+1]
		}
	}
	r := []rune(text)
	if len(r) <= limit {
		return text
	}
	head := string(r[:limit])
	if i := strings.LastIndexByte(head, ' '); i > limit/2 {
		head = head[:i]
	}
	return head + " …"
}

func gist(s *result.Results, t *table.Table) table.Text {
	text := gistOf(s, t.Kind)
	var out table.Text
	if len(s.StandInModels()) > 0 && len(t.Remarks) > 0 {
		out = append(slices.Clone(t.Remarks[0]), table.Plain(" ")) // who stood in for whom
	}
	for _, c := range s.Cascades {
		if (c.Name == t.Of || t.Of == "") && c.Summary == "signature" && strings.Contains(text, "Cost saved") {
			text += " Costs are the published “signature”, which is not physical."
			break
		}
	}
	if text == "" {
		return out
	}
	return append(out, table.Plain(text))
}

func gistOf(s *result.Results, kind string) string {
	part := "Test part" + withRanges(s, kind == "policies")
	switch kind {
	case "outcomes":
		return part + ". Saved: of the cost of asking the master every query."
	case "policies":
		return part + "; bold: best performance. Cost saved: relative to asking the last model every query."
	case "price":
		return part + ", per query, in the unit of cost. Loss: cost, and errors and missing answers at " +
			"their price."
	case "against":
		return part + ". Other policies at the cost, or at the error, that ours has on the fit part; Δ, " +
			"in points: ours minus theirs. p: paired two-sided tests, Holm's, with Benjamini and Hochberg's in parentheses."
	case "repeats":
		return "± the standard deviation over splits of the same records, which is no standard error."
	case "transfer", "grid-target", "grid-tau", "grid-fit-records", "grid-seed":
		return part + "; those of error − budget hold together. Allowed: what the budget stands for there."
	case "stages":
		return "A model's answer is taken where its confidence is at least θ, else the next is asked. Errors, of a " +
			"budget of " +
			"B, and costs are of the N records of the fit part."
	case "models":
		return part + ". Smaller ECE and Brier scores are better."
	case "signals":
		return part + ". Smaller AURC is better. Δ: less β, with thresholds of equal error, or of equal " +
			"cost, on the fit part."
	case "added-signals":
		return "Adds: p ≤ 0.05, Holm's, once the signal of the row is known (fit part). Numbers: points of the master's " +
			"cost saved at equal error" + withRanges(s, false) + "."
	case "sufficiency":
		return "Fit part. J tells more: p is small; J helps: and ΔMSE > 0. Value: what deferring by β and J saves over " +
			"deferring by β, at the same budget."
	case "pools":
		return "Chosen on the fit part, measured on the test part" + withRanges(s, false) +
			". Loss: of an oracle with the same error."
	case "published-performance", "published-cost", "published-sufficiency":
		return "Within: is the published number in our interval?"
	}
	return ""
}
