// Package reports turns results into the tables of a paper. It owns which
// tables there are, which rows, columns and footnotes they have, and the files
// they are written to; numbers are rounded and texts escaped by reports/table.
// It refuses to compute: every number comes from the results. Its opinion: a
// caveat belongs under the table that needs it, and a table says what it was
// made from.
package reports

import (
	"io"
	"strconv"

	"infnet/harness/result"
	"infnet/reports/table"
)

// Tables returns the study's tables, one for each question, in this order: what came out; what every policy came to,
// and loses at the price of an error; ours against the others; whom chains ask; how long queries take; the spread over
// repeated splits; what comes of other settings; what is fitted on one domain and used on another; how good each model
// and its confidence are; what else tells right answers, and which such signal adds to which; whether the confidence
// is sufficient; what the models of pools are worth; how far a published table is away; which records the numbers rest
// on, with all caveats. Cascades, pairs and datasets are rows. A table without rows is left out.
func Tables(s *result.Results) []table.Table {
	var all []table.Table
	add := func(t table.Table, ok bool) {
		if ok {
			t.Intervals(ranges(s, false))
			all = append(all, t)
		}
	}
	add(Outcomes(s))
	if t, ok := policies(s); ok {
		t.Intervals(ranges(s, true))
		all = append(all, t)
	}
	add(losses(s))
	add(against(s))
	add(stages(s))
	add(latencies(s))
	add(repeats(s))
	for i := range s.Grid {
		add(grid(s, &s.Grid[i]), true)
	}
	add(transfers(s))
	add(models(s))
	add(signals(s))
	add(addedSignals(s))
	add(Sufficiency(s))
	if paperLayout(s) {
		add(datasets(s))
	}
	add(pools(s))
	for _, t := range publishedTables(s) {
		add(t, true)
	}
	add(data(s))
	for i := range all {
		if paperLayout(s) {
			asPaper(s, &all[i])
		}
		if len(s.Style.Titles) > 0 {
			all[i].Rename(s.Style.Title)
		}
	}
	head(s, all)
	name(s, all)
	shorten(s, all)
	return all
}

// Screen says how results are written for a terminal.
type Screen struct {
	Width int  // in columns; 0 = no limit
	Color bool //
	All   bool // Brief: a sentence for each headline, however many there are
}

// Terminal writes all tables for a terminal.
func Terminal(w io.Writer, s *result.Results, o Screen) error {
	look := table.Look{Width: o.Width, Color: o.Color}
	for _, t := range Tables(s) {
		if err := t.Terminal(w, look); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	return nil
}

// caption begins a caption: INCOMPLETE where it is, what, of which models.
func caption(c *result.Cascade, what string) table.Text {
	t := table.Text{}
	if c.Incomplete {
		t = incomplete()
	}
	return append(append(append(t, table.Plain(what)), modelList(c)...), table.Plain("."))
}

// incomplete begins the caption of a table of an incomplete cascade.
func incomplete() table.Text {
	return table.Text{table.Plain("INCOMPLETE: more answers are missing than the study allows.").Bold(), table.Plain(" ")}
}

// modelList names a cascade's models: "a (student) and b (master)".
func modelList(c *result.Cascade) (t table.Text) {
	for i, m := range c.Models {
		switch {
		case i > 0 && i == len(c.Models)-1:
			t = append(t, table.Plain(" and "))
		case i > 0:
			t = append(t, table.Plain(", "))
		}
		t = append(t, table.Name(m))
		switch {
		case len(c.Models) < 2:
		case i == 0:
			t = append(t, table.Plain(" (student)"))
		case i == len(c.Models)-1:
			t = append(t, table.Plain(" (master)"))
		}
	}
	return t
}

// percent writes a level, e.g. "95 %".
func percent(level float64) string {
	return strconv.FormatFloat(100*level, 'g', 4, 64) + " %"
}

// short cuts a text that models or servers wrote, so that one hostile name
// cannot fill a page.
func short(s string) string {
	const limit = 120
	r := []rune(s)
	if len(r) <= limit {
		return s
	}
	return string(r[:limit-1]) + "…"
}

// shortNames shortens each.
func shortNames(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = short(name)
	}
	return out
}
