package reports

import (
	"fmt"
	"math"
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

// datasetNotes are the caveats of a dataset's whole group: those the analysis
// wrote, and those that follow from its counts. A kind that the analysis wrote
// about is not repeated.
func datasetNotes(d *result.Dataset) []result.Note {
	notes := append([]result.Note(nil), d.Notes...)
	add := func(kind note.Kind, text string) {
		if !has(d.Notes, kind) {
			notes = append(notes, result.Note{Kind: kind, Text: text})
		}
	}
	n := d.Counts
	if lost := n.Records - n.Used; lost > 0 {
		add("missing", fmt.Sprintf("Left out because a model did not answer: %d of %s%s.", lost, plural(n.Records, "record"),
			causes(n.Missing)))
	}
	if n.Skipped > 0 {
		add("skipped", plural(n.Skipped, "bad row")+" of the source skipped.")
	}
	if len(n.Truncated) > 0 {
		add("truncated", "Prompts were cut to the model's context"+causes(n.Truncated)+".")
	}
	if len(n.Unseen) > 0 {
		add("unseen", "The server did not report the probability of every label; the rest is bounded, not known, and the "+
			"confidence is the upper end of its bounds"+causes(n.Unseen)+".")
	}
	if len(n.Wide) > 0 {
		add("wide", fmt.Sprintf("Of these, the confidence may be lower by more than %v, for it is the upper end of its "+
			"bounds%s: ask for labels by another mode, or for more alternatives.", result.WideBound, causes(n.Wide)))
	}
	if len(n.Otherwise) > 0 {
		add("otherwise", "Classifications that were asked in another way than the model's others"+causes(n.Otherwise)+".")
	}
	if len(n.Estimated) > 0 {
		add("estimated", estimateNote(n.Estimated))
	}
	if text := massNote(n.LabelMass); text != "" {
		add("label-mass", text)
	}
	format, undecided := gradedNotes(n.Graded)
	if format != "" {
		add("no-answer", format)
	}
	if undecided != "" {
		add("undecided", undecided)
	}
	if text, contradicted := judgedNote(d); text != "" {
		kind := note.Kind("judged")
		if contradicted {
			kind = "misjudged"
		}
		add(kind, text)
	}
	if len(n.Empty) > 0 {
		add("empty", "Empty answers"+causes(n.Empty)+".")
	}
	if len(n.Cut) > 0 {
		add("cut", cutNote(n.Cut))
		if last := &notes[len(notes)-1]; last.Kind == "cut" && known(n.Cut) > 0 {
			last.Line = "Some answers were cut at the limit on new tokens."
		} else if last.Kind == "cut" {
			last.Line = "Whether some answers were cut is not recorded."
		}
	}
	if lexical(d.Embedder) {
		add("embedder", fmt.Sprintf("The cosine is of %s, a built-in embedder of hashed word and character n-grams: it "+
			"measures shared wording, not meaning, and is not comparable with a sentence encoder's.", d.Embedder))
	} else if d.Embedder != "" {
		add("encoder", "The cosine is of "+d.Embedder+".")
	}
	if n.Test < smallTest {
		add("small", fmt.Sprintf("The test part has only %s.", plural(n.Test, "record")))
	}
	for _, w := range d.Split.Warnings {
		add("split", sentence(w))
	}
	return clip(notes)
}

// rowNotes are the caveats of one row.
func rowNotes(c *result.Cascade, d *result.Dataset, r *result.Row) []result.Note {
	notes := append([]result.Note(nil), r.Notes...)
	add := func(kind note.Kind, text string) {
		if !has(r.Notes, kind) {
			notes = append(notes, result.Note{Kind: kind, Text: text})
		}
	}
	for _, p := range d.Policies {
		if p.Policy == r.Policy && infeasible(&p) {
			add("infeasible", fmt.Sprintf("Infeasible: no thresholds meet the budget of %v errors on the fit part; the "+
				"fewest are %v.", p.Budget, p.MinErrors))
		}
	}
	if r.Certified {
		add("certified", fmt.Sprintf("Carries a finite-sample guarantee for records drawn like the fit part (split %s).",
			short(d.Split.Hash)))
	}
	if chargedAsRouter(r) {
		add("charging", "Charged as a router: the decision comes before any answer, so a query pays one model only.")
	}
	if ownCostDiffers(r) {
		add("own-cost", "The second saving is from each record's own cost; the first takes the fit part's mean costs for "+
			"every record. They differ by more than the interval.")
	}
	return clip(notes)
}

// ownCostDiffers reports whether the saving from the constants of the fit part
// is outside the interval of that from each record's own cost: then both are in
// the table.
func ownCostDiffers(r *result.Row) bool {
	own := r.SavedPerQuery
	return own.N > 0 && (r.Saved.Value < own.Low || r.Saved.Value > own.High) && math.Abs(own.Value-r.Saved.Value) >= 0.005
}

// savedCell is a row's saving; both savings where they differ.
func savedCell(r *result.Row, digits int) table.Cell {
	cell := table.Of(interval(r.Saved, digits))
	if ownCostDiffers(r) {
		cell.Text = append(cell.Text, table.Plain(" / ").Aside(), interval(r.SavedPerQuery, digits).Aside())
	}
	return cell
}

// chargedAsRouter reports whether a row needs the footnote that its queries
// pay one model and not all they ask: it is charged as a router and no note
// says so yet. A row that defers everything is by definition charged the
// master alone and needs none.
func chargedAsRouter(r *result.Row) bool {
	said := has(r.Notes, "oracle") || has(r.Notes, "learned")
	return r.Charge == "router" && !baseline.Of(baseline.Kind(r.Policy)).Constant && !said
}

// lexical reports whether an embedder is the built-in lexical one.
func lexical(embedder string) bool {
	return embedder == "lexical"
}

// infeasible reports whether no thresholds at all meet the budget. A solver of estimated populations may also miss a
// budget that can be met, and policies at the price of an error have none.
func infeasible(p *result.Policy) bool {
	if p.Method == string(policy.Priced) || p.Method == string(policy.Abstaining) {
		return false
	}
	return !p.Feasible && p.MinErrors > p.Budget
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

// plural counts things: "1 record", "2 records".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
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

// clip shortens texts beyond reason.
func clip(notes []result.Note) []result.Note {
	const limit = 600
	for i, n := range notes {
		if r := []rune(n.Text); len(r) > limit {
			notes[i].Text = string(r[:limit-1]) + "…"
		}
	}
	return notes
}

func has(notes []result.Note, kind note.Kind) bool {
	for _, n := range notes {
		if n.Kind == kind {
			return true
		}
	}
	return false
}
