package reports

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports/table"
)

// shorten says what is below each table in LaTeX, where a table longer than itself helps nobody: a
// line on how to read it and the footnotes that matter most, as many as the style allows. All of
// them are in NAME.md and data.md.
func shorten(s *result.Results, all []table.Table) {
	limit := style.Of(s.Style).Limit()
	if limit < 0 {
		return
	}
	for i := range all {
		all[i].Short = belowShort(s, &all[i], limit)
	}
}

// belowShort is what is below one table.
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
		text, weight := inFewWords(n)
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

// brevity are footnotes in a few words that hold wherever there is one of their kind, the most important first. The
// others keep their own first sentence.
var brevity = []briefly{
	{kind: "incomplete", text: "INCOMPLETE: more answers are missing than the study allows."},
	{kind: "hidden", text: "Log-probabilities are hidden: many confidences are 1 and order nothing."},
	{kind: "embedder", begins: "The cosine is of lexical",
		text: "The cosine is of a lexical embedder: it measures shared wording, not meaning."},
	{kind: "slower", text: "Queries take longer than with the master alone."},
	{kind: "form", begins: "The threshold form may lose", text: "Among some surer answers the student errs more."},
	{kind: "overlap", text: "Some test records have the text of a fit record."},
	{kind: "two-labels", text: "Some texts stand there with two labels."},
	{kind: "padding", text: "Costs are those of padded batches."},
	{kind: "batch-prices", text: "Some answers are from batch files, whose price may be lower."},
	{kind: "unconfirmed", text: "Nobody could ask the server which model answers."},
	{kind: "wide", text: "Some confidences are known roughly: the server lists too few alternatives."},
	{kind: "stand-in-embedder"}, {kind: "stand-in-scorer"}, {kind: "learner", begins: "Learned by "}, {kind: "near-zero"},
	{kind: "chance"}, {kind: "unconfirmed"}, {kind: "responders"},
	{kind: "dearer", text: "The model asked first costs more per query than the next: swapped?"},
	{kind: "infeasible", text: "No thresholds meet the budget on the fit part: these have the fewest errors."},
	{kind: "budget-missed"},
	{kind: "small", text: "The test part has fewer than 100 records."},
	{kind: "missing", text: "Records that a model did not answer are left out."},
	{kind: "estimated", text: "Some token counts, and with them costs, are estimated."},
	{kind: "single-model", begins: "Worth it? No:",
		text: "Not cheaper than the best single model, or two mixed at random, of no more error."},
	{kind: "single-model", begins: "Worth it? Not shown",
		text: "Not shown to be cheaper than the best single model, or two mixed at random, of no more error."},
	{kind: "own-cost", text: "By each record's own cost the saving differs by more than its interval."},
	{kind: "uncertified", text: "Nothing is promised: no candidate passed the test of the guarantee."},
	{kind: "certified", text: "With a guarantee for records drawn like the fit part."},
	{kind: "split", text: "The fit part and the test part differ more than by chance."},
	{kind: "unseen", text: unseenBriefly},
	{kind: "label-mass", text: "On some queries the labels have little probability, or it is not known."},
	{kind: "truncated", text: "Some prompts were cut to the model's context."},
	{kind: "cut", text: "Some answers were cut at the limit on new tokens."},
	{kind: "skipped", text: "Bad rows of the source are left out."},
	{kind: "charging", text: "Charged as a router: a query pays one model only."},
	{kind: "never-predicted", text: "Classes that the student never predicts on the fit part are always deferred."},
	{kind: "", text: ""}, // whatever is not in this list
	{kind: "oracle", text: "Knows every error before it decides: the headroom, not a policy."},
	{kind: "random", text: "An expectation: it defers at random."},
	{kind: "learner", begins: "Of the ", text: "Not all fits of the learner were calibrated."},
	{kind: "learned", text: "Learned on the fit part."},
	{kind: "empty", text: "Some answers are empty."},
	{kind: "dropped", text: "Columns of J that are functions of what the null knows are left out."},
	{kind: "value", text: "In some folds no threshold met the budget: the one of fewest errors was taken."},
	{kind: "single-model", text: noWords}, // what is worth it, or costs as much, needs no caveat
}

// briefly is a kind of footnote, of texts that begin with some words, and what stands for it; "" = its first sentence.
type briefly struct{ kind, begins, text string }

const unseenBriefly = "The server does not report every label's probability: confidences are upper bounds."

// noWords marks kinds of which a short table says nothing.
const noWords = "-"

// inFewWords is a footnote in few words, "" = none, and its place in the order of importance.
func inFewWords(n table.Note) (text string, weight int) {
	at := slices.IndexFunc(brevity,
		func(b briefly) bool { return b.kind == n.Kind && strings.HasPrefix(n.Text, b.begins) })
	if at < 0 {
		at = slices.Index(brevity, briefly{})
	}
	switch text = brevity[at].text; text {
	case noWords:
		return "", at
	case "":
		return firstSentence(n.Text), at
	}
	return text, at
}

// longestLine is how long a caveat is on the screen.
const longestLine = 110

// lineOf is a caveat in a short line.
func lineOf(n result.Note) string {
	text, _ := inFewWords(table.Note{Kind: string(n.Kind), Text: n.Text})
	return cutAt(text, longestLine)
}

// firstSentence cuts a text after its first sentence, or at a word where that is long.
func firstSentence(text string) string {
	const limit = 180
	if i := strings.Index(text, ". "); i >= 0 {
		text = text[:i+1]
	}
	r := []rune(text)
	if len(r) <= limit {
		return text
	}
	cut := string(r[:limit])
	return cut[:strings.LastIndexByte(cut+" ", ' ')] + " …"
}

// gist says in a line how to read a table.
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
	level := percent(s.Level)
	ranges := ""
	switch style.Of(s.Style).Intervals {
	case "", style.Brackets:
		ranges = fmt.Sprintf(", %s intervals in brackets", level)
	case style.PlusMinus:
		ranges = fmt.Sprintf(", with the distances to the ends of %s intervals", level)
	}
	switch kind {
	case "outcomes":
		return "Test part" + ranges + ". Saved: of the cost of asking the master every query."
	case "policies":
		if style.Of(s.Style).Ranges() == style.NoIntervals {
			ranges = ""
		}
		return "Test part" + ranges + "; bold: best performance. Cost saved: relative to asking the last model every query."
	case "against":
		return "Test part" + ranges + ". Other policies at the cost, or at the error, that ours has on the fit part; Δ, in " +
			"points: ours minus theirs. p: paired two-sided tests, Holm's, with Benjamini and Hochberg's in parentheses."
	case "repeats":
		return "± the standard deviation over splits of the same records, which is no standard error."
	case "stages":
		return "A model's answer is taken where its confidence is at least θ, else the next is asked. Errors, of a " +
			"budget of " +
			"B, and costs are of the N records of the fit part."
	case "models":
		return "Test part" + ranges + ". Smaller ECE and Brier scores are better."
	case "latency":
		return "Test part, seconds" + ranges + "."
	case "sufficiency":
		return "Fit part. J tells more: p is small; J helps: and ΔMSE > 0. Value: what deferring by β and J saves over " +
			"deferring by β, at the same budget."
	case "pools":
		return "Chosen on the fit part, measured on the test part" + ranges + ". Loss: of an oracle with the same error."
	case "published-performance", "published-cost", "published-sufficiency":
		return "Within: is the published number in our interval?"
	}
	return ""
}
