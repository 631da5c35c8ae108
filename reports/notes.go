package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"infnet/harness/baseline"
	"infnet/harness/policy"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/reports/table"
)

// smallTest is the number of test records below which a table warns: with
// fewer than 100 a 95 % interval of a rate spans up to 20 points.
const smallTest = 100

// datasetNotes are the caveats of a dataset's whole group: those the analysis wrote, and those that follow from its
// counts. A kind that the analysis wrote about is not repeated.
func datasetNotes(d *result.Dataset) []result.Note {
	notes, n := slices.Clone(d.Notes), d.Counts
	about := func(kind note.Kind, count, of int, text string) {
		if text != "" && !has(d.Notes, kind) {
			notes = append(notes, result.Note{Kind: kind, Text: text, Count: count, Of: of})
		}
	}
	add := func(kind note.Kind, text string) { about(kind, 0, 0, text) }
	counted := func(kind note.Kind, text string, list []result.Missing, rest string) {
		total := 0
		for _, m := range list {
			total += m.Count
		}
		if len(list) > 0 {
			about(kind, total, n.Used, text+causes(list)+rest+".")
		}
	}
	about("missing", n.Records-n.Used, n.Records, missingNote(n))
	counted("truncated", "Prompts were cut to the model's context", n.Truncated, "")
	counted("unseen", "The server did not report the probability of every label; the rest is bounded, not known, and the "+
		"confidence is the upper end of its bounds", n.Unseen, "")
	counted("wide", fmt.Sprintf("Of these, the confidence may be lower by more than %v, for it is the upper end of its "+
		"bounds", result.WideBound), n.Wide, ": ask for labels by another mode, or for more alternatives")
	counted("otherwise", "Classifications that were asked in another way than the model's others", n.Otherwise, "")
	add("estimated", estimateNote(n.Estimated))
	add("label-mass", massNote(n.LabelMass))
	notes = append(notes, gradedNotes(d)...)
	counted("empty", "Empty answers", n.Empty, "")
	if len(n.Cut) > 0 && !has(d.Notes, "cut") {
		notes = append(notes, cutNote(n.Cut, n.Used))
	}
	if d.Embedder == "lexical" {
		add("embedder", fmt.Sprintf("The cosine measures shared wording, not meaning: it is of %s, a built-in embedder of "+
			"hashed word and character n-grams, and not comparable with a sentence encoder's.", d.Embedder))
	} else if d.Embedder != "" {
		add("encoder", "The cosine is of "+d.Embedder+".")
	}
	if n.Test < smallTest {
		add("small", fmt.Sprintf("The test part has only %s.", Plural(n.Test, "record")))
	}
	for _, w := range d.Split.Warnings {
		add("split", sentence(w))
	}
	return clip(notes)
}

// missingNote says how many records are left out, and why; "" = none.
func missingNote(n result.Counts) string {
	lost := n.Records - n.Used
	if lost <= 0 {
		return ""
	}
	return fmt.Sprintf("Left out because a model did not answer: %d of %s%s.", lost, Plural(n.Records, "record"),
		causes(n.Missing))
}

func rowNotes(c *result.Cascade, d *result.Dataset, r *result.Row) []result.Note {
	notes := slices.Clone(r.Notes)
	add := func(kind note.Kind, text string) {
		if !has(r.Notes, kind) {
			notes = append(notes, result.Note{Kind: kind, Text: text})
		}
	}
	if p := fittedFor(d, r.Policy); p != nil && infeasible(p) {
		add("infeasible", fmt.Sprintf("Infeasible: no thresholds meet the budget of %v errors on the fit part; the "+
			"fewest are %v.", p.Budget, p.MinErrors))
	}
	if r.Certified {
		add("certified", fmt.Sprintf("Carries a finite-sample guarantee for records drawn like the fit part (split %s).",
			short(d.Split.Hash)))
	}
	// A row that defers everything is by definition charged the master alone, and needs no such note.
	if r.Charge == "router" && !baseline.Of(baseline.Kind(r.Policy)).Constant && !has(r.Notes, "oracle") &&
		!has(r.Notes, "learned") {
		add("charging", "Charged as a router: the decision comes before any answer, so a query pays one model only.")
	}
	if ownCostDiffers(r) {
		add("own-cost", "The second saving is from each record's own cost; the first takes the fit part's mean costs for "+
			"every record. They differ by more than the interval.")
	}
	return clip(notes)
}

// ownCostDiffers reports whether the saving from the constants of the fit part is outside the interval of that from
// each record's own cost: then both are in the table.
func ownCostDiffers(r *result.Row) bool {
	own := r.SavedPerQuery
	return own.N > 0 && (r.Saved.Value < own.Low || r.Saved.Value > own.High) && math.Abs(own.Value-r.Saved.Value) >= 0.005
}

// infeasible reports whether no thresholds at all meet the budget. A solver of estimated populations may also miss a
// budget that can be met, and policies at the price of an error have none.
func infeasible(p *result.Policy) bool {
	if p.Method == string(policy.Priced) || p.Method == string(policy.Abstaining) {
		return false
	}
	return !p.Feasible && p.MinErrors > p.Budget
}

// estimateNote says which costs rest on tokens that are not known.
func estimateNote(list []result.Estimated) string {
	if len(list) == 0 {
		return ""
	}
	var parts []string
	for _, e := range list {
		what := "tokens"
		switch {
		case e.Completion == 0:
			what = "prompt tokens"
		case e.Prompt == 0:
			what = "generated tokens"
		}
		parts = append(parts, fmt.Sprintf("%s of %s are not known (not reported, or more than a call can take)", what,
			countOf(e.Count, e.Answers, "answer", e.Model)))
	}
	return sentence(fmt.Sprintf("%s: estimated as %d characters a token, and costs rest on that",
		strings.Join(parts, "; "), list[0].Characters))
}

// countOf counts some of a model's answers: "3 of 40 answers of large".
func countOf(n, of int, thing, model string) string {
	return fmt.Sprintf("%d of %s of %s", n, Plural(of, thing), short(model))
}

// massNote says which models put little of their probability on the labels. Where the mass is not known it says
// nothing.
func massNote(list []result.LabelMass) string {
	var parts []string
	for _, k := range list {
		less := fmt.Sprintf("less than %v of the probability on the labels", k.Floor)
		switch {
		case k.Below > 0 && k.Open > 0:
			less += fmt.Sprintf(", and %d more may", k.Open)
			fallthrough
		case k.Below > 0:
			parts = append(parts, countOf(k.Below, k.Answers, "classification", k.Model)+" put "+less)
		case k.Open > 0:
			parts = append(parts, countOf(k.Open, k.Answers, "classification", k.Model)+" may put "+less+
				", which the server only bounds")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return sentence(strings.Join(parts, "; ") + ": their confidence speaks of the labels alone")
}

// The endings of result.Cut that have words of their own; others are a server's.
const (
	cutLength = "length"
	cutUnsaid = "not said"
)

// cutNote says how many generations were cut off: what the model had not written yet is not in their scores. That it
// is not known how one ended is no sign of it.
func cutNote(list []result.Cut, used int) result.Note {
	var parts []string
	known := 0
	for _, k := range list {
		of := countOf(k.Count, k.Answers, "answer", k.Model)
		if k.Finish != "" {
			known += k.Count
		}
		switch k.Finish {
		case "":
			of = "whether " + of + " were cut is not recorded"
		case cutLength:
			was := "were"
			if k.Count == 1 {
				was = "was"
			}
			of += fmt.Sprintf(" %s cut at max_tokens = %d", was, k.MaxTokens)
		case cutUnsaid:
			of += " ended for a reason that the server does not say"
		default:
			of += fmt.Sprintf(" ended by %q", short(k.Finish))
		}
		parts = append(parts, of)
	}
	return result.Note{Kind: "cut", Text: sentence(strings.Join(parts, "; ")), Count: known, Of: used}
}

func judgedBy(g result.Graded) int {
	for _, d := range g.By {
		if d.Rule == "judge" {
			return d.Count
		}
	}
	return 0
}

// judgedMost is the most of a model's answers that the judge decided.
func judgedMost(list []result.Graded) (most int) {
	for _, g := range list {
		most = max(most, judgedBy(g))
	}
	return most
}

// gradedNotes are the caveats of replies without answers, of answers that no rule decided, and of those that a model
// graded; a kind that the analysis wrote about is not repeated.
func gradedNotes(d *result.Dataset) (notes []result.Note) {
	var missing, open, judged []string
	var none, undecided int
	for _, g := range d.Counts.Graded {
		if none += g.None; g.None > 0 {
			text := fmt.Sprintf("%s (%d cut at the limit on new tokens", repliesOf(g.None, g), g.Cut)
			if rest := g.Answers - g.None; rest > 0 {
				text += fmt.Sprintf("; right are %.1f %% of the others", 100*float64(g.Right)/float64(rest))
			}
			missing = append(missing, text+")")
		}
		if undecided += g.Undecided; g.Undecided > 0 {
			open = append(open, repliesOf(g.Undecided, g))
		}
		if n := judgedBy(g); n > 0 {
			judged = append(judged, countOf(n, g.Answers, "answer", g.Model))
		}
	}
	add := func(kind note.Kind, count int, before string, list []string, after string) {
		if len(list) > 0 && !has(d.Notes, kind) {
			notes = append(notes, result.Note{Kind: kind, Text: before + strings.Join(list, ", ") + after, Count: count,
				Of: d.Counts.Used})
		}
	}
	add("no-answer", none, "No answer was found in ", missing, ": they count as wrong.")
	add("undecided", undecided, "No rule could decide the answers in ", open, ": they count as wrong.")
	kind, says, count, the := note.Kind("judged"), judgeSays(d), judgedMost(d.Counts.Graded), "The judge, "
	if slices.ContainsFunc(d.Diagnostics, func(m result.Diagnostic) bool { // people contradict it
		return m.Audit != nil && (m.Correct.Value < m.Audit.Correct.Low || m.Correct.Value > m.Audit.Correct.High)
	}) {
		kind, count, the = "misjudged", d.Counts.Used, "The judge's grades contradict people's: it, " // about all
	}
	add(kind, count, the+short(d.Grader)+", graded ", judged, ". "+says)
	return notes
}

func repliesOf(n int, g result.Graded) string {
	return fmt.Sprintf("%d of %s of %s", n, plurals(g.Answers, "reply", "replies"), short(g.Model))
}

func judgeSays(d *result.Dataset) string {
	var audits []string
	for _, m := range d.Diagnostics {
		if a := m.Audit; a != nil {
			audits = append(audits, fmt.Sprintf("%s is right on %.1f %%, corrected by %s of the test part %.1f %% [%.1f, %.1f]",
				short(m.Model), 100*m.Correct.Value, Plural(a.Audited, "human grade"), 100*a.Correct.Value, 100*a.Correct.Low,
				100*a.Correct.High))
		}
	}
	if audits == nil {
		return "Nobody measured how often it is wrong on the test part: human in [judge] names a file of human grades."
	}
	return strings.Join(audits, "; ") + "."
}

// causes writes counts in parentheses: " (tiny-master, timeout: 3; …)".
func causes(list []result.Missing) string {
	if len(list) == 0 {
		return ""
	}
	parts := make([]string, len(list))
	for i, m := range list {
		parts[i] = short(m.Model)
		if m.Cause != "" {
			parts[i] += ", " + short(m.Cause)
		}
		parts[i] += fmt.Sprintf(": %d", m.Count)
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// Plural counts things: "1 record", "2 records".
func Plural(n int, thing string) string { return plurals(n, thing, thing+"s") }

func plurals(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// sentence gives a warning a final stop and a capital, unless it begins with a
// symbol, such as β, whose capital is another symbol.
func sentence(s string) string {
	if s == "" {
		return s
	}
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	if s[0] >= utf8.RuneSelf {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func clip(notes []result.Note) []result.Note {
	for i, n := range notes {
		notes[i].Text = table.Cut(n.Text, 600)
	}
	return notes
}

func has(notes []result.Note, kind note.Kind) bool {
	return slices.ContainsFunc(notes, func(n result.Note) bool { return n.Kind == kind })
}

// FirstSentence is a text's first sentence; of one with more characters than the limit the clauses that fit, or all.
func FirstSentence(text string, limit int) string {
	if i := strings.Index(text, ". "); i >= 0 {
		text = text[:i+1]
	}
	if r := []rune(text); len(r) > limit {
		head := string(r[:limit])
		if i := max(strings.LastIndex(head, ": "), strings.LastIndex(head, "; ")); i > 0 {
			text = head[:i] + "."
		}
	}
	return text
}
