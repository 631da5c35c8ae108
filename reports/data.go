package reports

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/reports/table"
)

// dataRow is what happened to some records of a dataset.
type dataRow struct {
	place
	in    []string // the cascades of which this is true
	what  string
	model string
	count int
}

// data is the table of which records the numbers rest on, what happened to the others, and all caveats in full. A
// cascade has rows of its own only where its records are others.
func data(s *result.Results) (t table.Table, ok bool) {
	list := places(s)
	if len(list) == 0 {
		return t, false
	}
	t = table.Table{Kind: "data",
		Caption: cascadesCaption("Records behind the numbers, and all caveats: ", cascadesOf(list))}
	var groups [][]dataRow
	for _, p := range list {
		same := slices.IndexFunc(groups, func(g []dataRow) bool { return g[0].sameRecords(p) })
		if same < 0 {
			same, groups = len(groups), append(groups, nil)
		}
		for _, x := range happenings(p) {
			k := slices.IndexFunc(groups[same], func(y dataRow) bool {
				return y.what == x.what && y.model == x.model && y.count == x.count
			})
			if k < 0 {
				groups[same] = append(groups[same], x)
			} else {
				groups[same][k].in = append(groups[same][k].in, x.in...)
			}
		}
	}
	for i, g := range groups {
		if unharmed := slices.DeleteFunc(slices.Clone(g), func(x dataRow) bool { return x.what == nothingMissing }); len(
			unharmed) > 0 {
			groups[i] = unharmed
		}
	}
	fill(&t, dataColumns(&t), groups)
	sourceRemarks(list, &t)
	caveatRemarks(list, &t)
	return t, true
}

// sameRecords reports whether a place has the records of this row.
func (x dataRow) sameRecords(p place) bool {
	a, b := x.d, p.d
	return a.Name == b.Name && a.Hash == b.Hash && a.Split.Hash == b.Split.Hash && a.Counts.Records == b.Counts.Records &&
		a.Counts.Used == b.Counts.Used && a.Counts.Fit == b.Counts.Fit && a.Counts.Test == b.Counts.Test
}

// dataColumns are the columns of the table of records.
func dataColumns(t *table.Table) []column[dataRow] {
	total := func(head, field string, n func(c *result.Counts) int) column[dataRow] {
		return number(head, field, func(x dataRow) table.Part { return count(float64(n(&x.d.Counts))) }, exact, merge)
	}
	return []column[dataRow]{
		text("Study", "study", func(x dataRow) string { return x.s.Name }, csvOnly),
		text("Cascades", "cascades", func(x dataRow) string { return strings.Join(x.in, "; ") }, csvOnly),
		cells(table.Words("Dataset"), []string{"dataset"}, func(x dataRow) table.Cell {
			return table.Cell{Text: table.Text{table.Name(x.d.Name)}, Marks: marksOf(t, datasetNotes(x.d))}
		}, merge),
		total("Records", "records", func(c *result.Counts) int { return c.Records }),
		total("Used", "used", func(c *result.Counts) int { return c.Used }),
		total("Fit", "fit", func(c *result.Counts) int { return c.Fit }),
		total("Test", "test", func(c *result.Counts) int { return c.Test }),
		text("What", "what", func(x dataRow) string { return x.what }),
		cells(table.Words("Model"), []string{"model"}, func(x dataRow) table.Cell {
			return table.Of(table.Name(short(x.model)))
		}),
		number("Count", "count", func(x dataRow) table.Part { return count(float64(x.count)) }, exact),
		text("Source", "source", func(x dataRow) string { return x.d.Source }, csvOnly),
		text("Content hash", "content_hash", func(x dataRow) string { return x.d.Hash }, csvOnly),
		text("Split hash", "split_hash", func(x dataRow) string { return x.d.Split.Hash }, csvOnly),
	}
}

const nothingMissing = "nothing missing"

// happenings are what happened to the records of a place, a row for each cause.
func happenings(p place) (out []dataRow) {
	n := p.d.Counts
	add := func(what, model string, count int) {
		out = append(out, dataRow{p, []string{p.c.Name}, what, model, count})
	}
	list := func(what string, of []result.Missing) {
		for _, m := range of {
			w := what
			if m.Cause != "" {
				w += ": " + short(m.Cause)
			}
			add(w, m.Model, m.Count)
		}
	}
	if n.Skipped > 0 {
		add("bad row skipped", "", n.Skipped)
	}
	list("no answer", n.Missing)
	list("prompt cut to the context", n.Truncated)
	list("label probability not reported", n.Unseen)
	list(fmt.Sprintf("confidence not known to %v", result.WideBound), n.Wide)
	for _, k := range n.LabelMass {
		massRows(k, add)
	}
	for _, g := range n.Graded {
		gradedRows(g, add)
	}
	list("empty answer", n.Empty)
	for _, k := range n.Cut {
		add(cutWhat(k), k.Model, k.Count)
	}
	list("labels asked otherwise", n.Otherwise)
	for _, e := range n.Estimated {
		add("tokens estimated", e.Model, e.Count)
	}
	if len(out) == 0 {
		add(nothingMissing, "", 0)
	}
	return out
}

// sourceRemarks say where the records are from.
func sourceRemarks(list []place, t *table.Table) {
	var said []string
	for _, p := range list {
		d := p.d
		source := short(d.Source)
		if d.Revision != "" {
			source += ", revision " + short(d.Revision)
		}
		if d.Direction != "" {
			source += ", translated " + short(d.Direction)
		}
		text := fmt.Sprintf(": %s, content %s; split %s, fit part %s, hash %s.", source, short(d.Hash), short(d.Split.Order),
			short(d.Split.Fraction), short(d.Split.Hash))
		if !slices.Contains(said, d.Name+text) {
			said = append(said, d.Name+text)
			t.Remark(table.Name(d.Name), table.Plain(text))
		}
	}
}

// caveatRemarks are all caveats in full, each once, with what they are about.
func caveatRemarks(list []place, t *table.Table) {
	several := len(cascadesOf(list)) > 1
	var texts []string
	about := map[string][]string{}
	add := func(p place, row, text string) {
		where := short(p.d.Name)
		if several {
			where += " (" + strings.Join(shortNames(p.c.Models), " → ") + ")"
		}
		if row != "" {
			where += ", " + row
		}
		if about[text] == nil {
			texts = append(texts, text)
		}
		if !slices.Contains(about[text], where) {
			about[text] = append(about[text], where)
		}
	}
	for _, p := range list {
		for _, n := range datasetNotes(p.d) {
			add(p, "", n.Text)
		}
		for i := range p.d.Rows {
			r := &p.d.Rows[i]
			for _, n := range rowNotes(p.c, p.d, r) {
				if ours := mainRow(p.c, p.d); n.Kind == "learned" && r.Training != nil && ours != nil {
					n.Text += " " + trained(r.Training, ours.Title)
				}
				add(p, r.Title, n.Text)
			}
		}
		if p.d.Form != "" {
			add(p, "", p.d.Form)
		}
	}
	for _, text := range texts {
		t.Remark(table.Plain(strings.Join(about[text], "; ")).Bold(), table.Plain(": "+text))
	}
}
