package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/reports/table"
)

// publishedTables are the tables that compare a study with a published one: performance and cost where that is a table
// of policies, one table where it is a table of sufficiency tests.
func publishedTables(s *result.Results) []table.Table {
	p := s.Published
	if p == nil {
		return nil
	}
	if len(p.Groups) > 0 && len(p.Groups[0].Tests) > 0 {
		return []table.Table{testsAgainst(s, p)}
	}
	return []table.Table{scoresAgainst(s, p), costsAgainst(s, p)}
}

// dash is printed where there is no verdict.
const dash = "–"

func verdictWord(c result.Compare) string { return cmp.Or(c.Within, dash) }

// printed writes a published number with the digits it has.
func printed(c result.Compare) table.Part {
	_, decimals, _ := strings.Cut(c.Printed, ".")
	return exactly(c.Value, len(decimals))
}

func estimate(c result.Compare, decimals int) table.Part {
	if c.Ours.N == 0 {
		return none
	}
	return interval(c.Ours, decimals)
}

func difference(c result.Compare, decimals int) table.Part {
	return exactly(float64(c.Difference), decimals)
}

type publishedRow[R any] struct {
	g     *result.PublishedGroup
	r     *R
	first bool // of its group
}

func publishedRows[R any](p *result.Published, of func(g *result.PublishedGroup) []R) (out [][]publishedRow[R]) {
	for i := range p.Groups {
		var group []publishedRow[R]
		rows := of(&p.Groups[i])
		for k := range rows {
			group = append(group, publishedRow[R]{&p.Groups[i], &rows[k], k == 0})
		}
		out = append(out, group)
	}
	return out
}

// publishedHead are the first columns of these tables: where a row is from, what differs, and what it is called.
func publishedHead[R any](s *result.Results, t *table.Table, called, field string, ours func(r *R) string,
	title func(r *R) (name string, notes []result.Note), pair look) []column[publishedRow[R]] {
	type row = publishedRow[R]
	return []column[row]{
		text("Study", "study", func(row) string { return s.Name }, csvOnly),
		text("Published table", "published_table", func(row) string { return s.Published.Table }, csvOnly),
		text("Pair", "pair", func(x row) string { return x.g.Student + " / " + x.g.Master }, pair),
		text("Our row", "policy_id", func(x row) string { return ours(x.r) }, csvOnly),
		text("Alike", "alike", func(x row) bool { return x.g.Alike }, csvOnly),
		text("Differs", "differs", func(x row) string {
			var kinds []string
			for _, n := range x.g.Differs {
				kinds = append(kinds, string(n.Kind))
			}
			return strings.Join(kinds, " ")
		}, csvOnly),
		text("Dataset", "dataset", func(x row) table.Cell {
			c := table.Of(table.Name(x.g.Dataset))
			if x.first {
				markAll(t, &c, x.g.Differs)
				markAll(t, &c, x.g.Notes)
			}
			return c
		}, merge),
		text(called, field, func(x row) table.Cell {
			name, notes := title(x.r)
			c := table.Of(table.Plain(name))
			markAll(t, &c, notes)
			return c
		}),
	}
}

func policyHead(s *result.Results, t *table.Table) []column[publishedRow[result.PublishedRow]] {
	return publishedHead(s, t, "Policy", "policy", func(r *result.PublishedRow) string { return r.Row },
		func(r *result.PublishedRow) (string, []result.Note) { return r.Policy, r.Notes }, csvOnly)
}

func publishedPolicies(p *result.Published) [][]publishedRow[result.PublishedRow] {
	return publishedRows(p, func(g *result.PublishedGroup) []result.PublishedRow { return g.Rows })
}

func scoresAgainst(s *result.Results, p *result.Published) table.Table {
	type row = publishedRow[result.PublishedRow]
	t := table.Table{Caption: publishedCaption(p, "performance"), Kind: "published-performance"}
	names := p.Groups[0].Metrics
	scores := func(head, suffix string, of func(c result.Compare) table.Part, looks ...look) column[row] {
		var fields []string
		for k := range names {
			fields = append(fields, fmt.Sprintf("score%d_%s", k+1, suffix))
		}
		return text(head, strings.Join(fields, " "), func(x row) (t table.Text) {
			for k, c := range x.r.Scores {
				if k > 0 {
					t = append(t, table.Plain(" / "))
				}
				t = append(t, of(c))
			}
			return t
		}, append(looks, center)...)
	}
	fill(&t, append(policyHead(s, &t),
		scores("Published", "published", printed, exact),
		scores("Ours", "ours", func(c result.Compare) table.Part { return estimate(c, 2) }),
		scores("Difference", "difference", func(c result.Compare) table.Part { return difference(c, 2) }, exact),
		text("Within ours", "within", func(x row) string {
			var within []string
			for _, c := range x.r.Scores {
				within = append(within, verdictWord(c))
			}
			return strings.Join(within, " / ")
		}, center)), publishedPolicies(p), nil)
	t.Remark(table.Plain("Performance: " + strings.Join(names, " / ") + ". " + publishedReading(s)))
	return t
}

func costsAgainst(s *result.Results, p *result.Published) table.Table {
	type row = publishedRow[result.PublishedRow]
	t := table.Table{Caption: publishedCaption(p, "cost saved and share deferred"), Kind: "published-cost"}
	fill(&t, slices.Concat(policyHead(s, &t),
		compared("Saved (%) published", "saved", func(r *result.PublishedRow) result.Compare { return r.Saved }, printed,
			func(c result.Compare) table.Part { return estimate(c, 2) },
			func(c result.Compare) table.Part { return difference(c, 2) }),
		compared("Deferred (%) published", "deferred", func(r *result.PublishedRow) result.Compare { return r.Deferred },
			func(c result.Compare) table.Part { return exactPercent(c.Value, 1) },
			func(c result.Compare) table.Part {
				if c.Ours.N == 0 {
					return none
				}
				return percents(c.Ours, 1)
			},
			func(c result.Compare) table.Part { return exactPercent(float64(c.Difference), 1) }),
		[]column[row]{text("Cost summary of ours", "summary", func(x row) string { return x.r.Summary }, csvOnly)}),
		publishedPolicies(p), nil)
	text := "The published share deferred is read off the printed savings: a cascade that defers a share Def saves " +
		"100·Def less than one that defers nothing, whatever the costs are. So it can be compared where savings cannot. "
	if slices.ContainsFunc(p.Groups, func(g result.PublishedGroup) bool {
		return slices.ContainsFunc(g.Rows, func(r result.PublishedRow) bool { return r.Summary == "signature" })
	}) {
		text += "Our savings are by the published summary of costs, the signature, which is no physical cost. "
	} else {
		text += "Published savings are of a weighted summary of costs, the signature, which is defined for models of a " +
			"billion parameters or more; ours are of other costs, and there is no verdict on them. "
	}
	t.Remark(table.Plain(text + publishedReading(s)))
	for _, p := range places(s) {
		if e := p.d.Counts.Estimated; len(e) > 0 {
			t.Remark(table.Name(p.d.Name), table.Plain(": "+estimateNote(e)))
		}
	}
	return t
}

// compared are a published number, ours, their difference, and whether they agree.
func compared[R any](head, field string, of func(r *R) result.Compare,
	theirs, ours, off func(c result.Compare) table.Part) []column[publishedRow[R]] {
	type row = publishedRow[R]
	return []column[row]{
		number(head, field+"_published", func(x row) table.Part { return theirs(of(x.r)) }, exact),
		number("ours", field+"_ours", func(x row) table.Part { return ours(of(x.r)) }),
		number("difference", field+"_difference", func(x row) table.Part { return off(of(x.r)) }, exact),
		text("within", field+"_within", func(x row) string { return verdictWord(of(x.r)) }, center),
	}
}

func testsAgainst(s *result.Results, p *result.Published) table.Table {
	type row = publishedRow[result.PublishedTest]
	t := table.Table{Caption: publishedCaption(p, "the sufficiency of the confidence"), Kind: "published-sufficiency"}
	theirs := func(head, field string, of func(x *result.PublishedTest) result.Compare) column[row] {
		return number(head, field+"_published", func(x row) table.Part { return printed(of(x.r)) }, exact)
	}
	mean := func(field string, of func(x *result.PublishedTest) result.Compare) column[row] {
		return number("ours", field+"_ours", func(x row) table.Part {
			if of(x.r).Ours.N == 0 {
				return none
			}
			return exactly(of(x.r).Ours.Value, 4)
		}, exact)
	}
	null := func(x *result.PublishedTest) result.Compare { return x.Null }
	full := func(x *result.PublishedTest) result.Compare { return x.Full }
	// The pair is shown: two share a dataset.
	head := publishedHead(s, &t, "J", "extra", func(*result.PublishedTest) string { return "" },
		func(x *result.PublishedTest) (string, []result.Note) { return x.Extra, x.Notes }, merge)
	delta := compared("ΔMSE", "delta", func(x *result.PublishedTest) result.Compare { return x.Delta }, printed,
		func(c result.Compare) table.Part { return estimate(c, 4) },
		func(c result.Compare) table.Part { return difference(c, 4) })
	fill(&t, append(slices.Concat(head, []column[row]{theirs("MSE β", "mse_null", null), mean("mse_null", null),
		theirs("MSE β+J", "mse_full", full), mean("mse_full", full)}, delta),
		theirs("p", "p", func(x *result.PublishedTest) result.Compare { return x.P }),
		number("ours", "p_ours", func(x row) any {
			p := table.Estimated(x.r.P.Ours.Value, x.r.P.Ours.Low, x.r.P.Ours.High, 3)
			if p.PValue = true; x.r.P.Ours.N == 0 {
				return none
			}
			return p
		})), publishedRows(p, func(g *result.PublishedGroup) []result.PublishedTest { return g.Tests }), nil)
	t.Remark(table.Plain("Mean squared errors are means over folds. ΔMSE: its interval is over records; that of p " +
		"is the Monte-Carlo interval of the shuffles. " + publishedReading(s)))
	return t
}

func publishedCaption(p *result.Published, what string) table.Text {
	alike := 0
	for _, g := range p.Groups {
		if g.Alike {
			alike++
		}
	}
	return table.Words(fmt.Sprintf("Published (%s) and ours: %s. %d of %d groups were made alike.", p.Table, what, alike,
		len(p.Groups)))
}

func publishedReading(s *result.Results) string {
	return fmt.Sprintf("Difference: ours minus the published number. Within: is the published number, give or take its "+
		"rounding, in our %s interval? %s: no verdict, as something differs that the footnotes name, or one of the two is "+
		"not there. Prompts are our own words in every case: the paper does not print its.", percent(s.Level), dash)
}
