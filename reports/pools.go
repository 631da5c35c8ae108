package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/pool"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// poolRow is a model of a pool on a dataset; in CSV files also the best choice at some prices of an error, and a pair
// with the price ratio at which it begins to be cheaper. One of model, choice and pair is set.
type poolRow struct {
	p      *result.Pool
	d      *result.PoolDataset
	model  *result.PoolModel
	saving result.PoolSaving // what a cascade saves at the model's error
	choice *result.PoolChoice
	pair   *result.PoolPair
}

// pools is what the models of pools are worth.
func pools(s *result.Results) (t table.Table) {
	if len(s.Pools) == 0 {
		return t
	}
	var groups [][]poolRow
	var names []string
	about := map[*result.PoolDataset][]int{}
	for i := range s.Pools {
		p := &s.Pools[i]
		names = append(names, p.Name)
		for k := range p.Datasets {
			d := &p.Datasets[k]
			groups = append(groups, poolRows(p, d))
			var c table.Cell
			markAll(&t, &c, poolNotes(d))
			if lost := missingNote(d.Counts); lost != "" {
				c.Mark(t.Note("missing", lost))
			}
			about[d] = c.Marks
		}
	}
	t.Kind = "pools"
	t.Caption = append(incomplete(slices.ContainsFunc(s.Pools, func(p result.Pool) bool { return p.Incomplete })),
		textOf("Which models are worth asking, and what a cascade saves: pool ",
			namesWith(", ", names), ".")...)
	where := []column[poolRow]{
		text("Pool", "pool", func(x poolRow) table.Part { return table.Name(x.p.Name) }, merge, only(len(s.Pools) > 1)),
		text("Dataset", "dataset", func(x poolRow) table.Cell {
			return table.Cell{Text: table.Text{table.Name(x.d.Name)}, Marks: about[x.d]}
		}, merge),
	}
	fill(&t, slices.Concat(where, modelWorthColumns(), choiceColumns(), pairColumns()), groups,
		func(x poolRow) bool { return x.model != nil })
	poolRemarks(s, &t)
	return t
}

func poolRows(p *result.Pool, d *result.PoolDataset) (out []poolRow) {
	for j := range d.Models {
		x := poolRow{p: p, d: d, model: &d.Models[j]}
		for _, v := range d.Savings {
			if v.Model == x.model.Model {
				x.saving = v
			}
		}
		out = append(out, x)
	}
	for j := range d.Envelope {
		out = append(out, poolRow{p: p, d: d, choice: &d.Envelope[j]})
	}
	for j := range d.Pairs {
		out = append(out, poolRow{p: p, d: d, pair: &d.Pairs[j]})
	}
	return out
}

// modelWorthColumns are those that readers see: of the best cascade of no more error than a model, and of it alone.
func modelWorthColumns() []column[poolRow] {
	of := func(head, field string, value func(x poolRow) any, looks ...look) column[poolRow] {
		return text(head, field, func(x poolRow) any {
			if x.model == nil {
				return nil
			}
			return value(x)
		}, looks...)
	}
	numbers := func(head, field string, value func(x poolRow) any) column[poolRow] {
		c := of(head, field, value)
		c.Align = table.Right
		return c
	}
	loss := func(what, field string, v func(r *result.PoolSaving) *infer.Interval) column[poolRow] {
		return numbers("Loss, "+what+" (%)", field, func(x poolRow) any {
			unit := math.NaN()
			if c := x.saving.Cascade; c != nil && c.Cost.Value > 0 {
				unit = 1 / c.Cost.Value
			}
			return scaled(v(&x.saving), unit, 0)
		})
	}
	rival := func(value func(v *result.Rival) any, without any) func(x poolRow) any {
		return func(x poolRow) any {
			if x.saving.Rival == nil {
				return without
			}
			return value(x.saving.Rival)
		}
	}
	without := func(value func(w *result.PoolWithout) any) func(x poolRow) any {
		return func(x poolRow) any {
			if x.model.Without == nil {
				return nil
			}
			return value(x.model.Without)
		}
	}
	return []column[poolRow]{
		of("Model", "model", func(x poolRow) any { return table.Name(x.model.Model) }),
		of("Worth asking while an error costs", "worth_asking", func(x poolRow) any { return worthWords(x.model.Worth) }),
		numbers("Without it (%)", "lost_without", without(func(w *result.PoolWithout) any { return scaled(w.Lost, 1, 1) })),
		of("Best cascade of no more error", "cascade", func(x poolRow) any {
			if c := x.saving.Cascade; c != nil {
				return strings.Join(c.Models, " → ")
			}
			return nil
		}),
		numbers("Saves (%)", "saved", rival(func(v *result.Rival) any { return scaled(&v.Saved, 1, 1) }, nil)),
		numbers("Errs more (points)", "error_difference",
			rival(func(v *result.Rival) any { return scaled(&v.Error, 1, 2) }, nil)),
		of("Verdict", "verdict", rival(func(v *result.Rival) any { return v.Verdict }, "none")),
		loss("signal", "loss_signal", func(r *result.PoolSaving) *infer.Interval { return r.Signal }),
		loss("structure", "loss_structure", func(r *result.PoolSaving) *infer.Interval { return r.Structure }),
		loss("other models", "loss_other_models", func(r *result.PoolSaving) *infer.Interval { return r.Choice }),
		of("Instead of", "rival", rival(func(v *result.Rival) any {
			if v.P > 0 {
				return fmt.Sprintf("%s %.3g, %s %.3g", v.First, 1-v.P, v.Second, v.P)
			}
			return v.First
		}, nil), csvOnly),
		of("Without it, while an error costs", "without_price",
			without(func(w *result.PoolWithout) any { return exactly(w.Price, 6) }), csvOnly, exact),
		of("Oracle asks", "oracle_asks", func(x poolRow) any { return exactPercent(x.model.OracleAsks, 1) }, csvOnly,
			exact),
	}
}

// poolNotes are the caveats of a pool: those that the analysis wrote, and those of how its answers were graded.
func poolNotes(d *result.PoolDataset) []result.Note {
	graded := &result.Dataset{Grader: d.Grader, Diagnostics: d.Audits, Counts: d.Counts}
	return append(slices.Clone(d.Notes), clip(gradedNotes(graded))...)
}

// choiceColumns are the error and the cost of a model alone or of a choice, and in CSV files the best choice at every
// price of an error.
func choiceColumns() []column[poolRow] {
	both := func(x poolRow, model func(m *result.PoolModel) any, choice func(c *result.PoolChoice) any) any {
		switch {
		case x.model != nil:
			return model(x.model)
		case x.choice != nil:
			return choice(x.choice)
		}
		return nil
	}
	of := within("", func(x poolRow) *result.PoolChoice { return x.choice }, exact)
	return []column[poolRow]{
		number("Error (%)", "error", func(x poolRow) any {
			return both(x, func(m *result.PoolModel) any { return scaled(&m.Error, 1, 1) },
				func(c *result.PoolChoice) any { return scaled(&c.Error, 1, 1) })
		}),
		number("Cost of 1,000", "cost_of_1000", func(x poolRow) any {
			return both(x, func(m *result.PoolModel) any { return threeDigits(m.Cost, 1000) },
				func(c *result.PoolChoice) any { return threeDigits(c.Cost, 1000) })
		}),
		text("Unit", "cost_unit", func(x poolRow) string { return x.p.Unit }, csvOnly),
		of("choice", func(c *result.PoolChoice) any { return choiceName(&c.PoolPolicy) }),
		of("thresholds", func(c *result.PoolChoice) any {
			var thetas []string
			for _, theta := range c.Thetas {
				thetas = append(thetas, table.Raw(float64(theta)))
			}
			return strings.Join(thetas, "; ")
		}),
		of("from_price", func(c *result.PoolChoice) any { return float64(c.Price.From) }),
		of("to_price", func(c *result.PoolChoice) any { return float64(c.Price.To) }),
		of("fit_error", func(c *result.PoolChoice) any { return c.Fit.Error }),
		of("fit_cost_of_1000", func(c *result.PoolChoice) any { return 1000 * c.Fit.Cost }),
	}
}

// pairColumns are the break-even price ratios of pairs, in CSV files: where a pair errs no more than its master, half
// way there, and at any error.
func pairColumns() []column[poolRow] {
	of := within("", func(x poolRow) *result.PoolPair { return x.pair })
	out := []column[poolRow]{
		of("student", func(x *result.PoolPair) any { return table.Name(x.Student) }),
		of("master", func(x *result.PoolPair) any { return table.Name(x.Master) }),
		of("price_ratio", func(x *result.PoolPair) any { return exactPercent(float64(x.Ratio), 1) }, exact),
	}
	for k, name := range []string{"at_master", "half_way", "test"} {
		even := func(x *result.PoolPair) (e result.PoolEven, known bool) {
			switch {
			case name == "test":
				return result.PoolEven{FitEven: x.FitEven, BreakEven: x.BreakEven}, true
			case k < len(x.Even):
				return x.Even[k], true
			}
			return e, false
		}
		out = append(out,
			of("break_even_"+name, func(x *result.PoolPair) any {
				e, _ := even(x)
				return scaled(e.BreakEven, 1, 1)
			}),
			of("cheaper_"+name, func(x *result.PoolPair) any {
				e, _ := even(x)
				switch ratio := float64(x.Ratio); {
				case e.BreakEven == nil || ratio > e.BreakEven.High:
					return "no"
				case ratio < e.BreakEven.Low:
					return "yes"
				}
				return "unclear"
			}),
			of("break_even_"+name+"_fit", func(x *result.PoolPair) any {
				if e, known := even(x); known {
					return exactPercent(e.FitEven, 1)
				}
				return nil
			}, exact))
	}
	return out
}

// poolRemarks say what came out, and how to read the table.
func poolRemarks(s *result.Results, t *table.Table) {
	tried := 0
	var units []string
	for i := range s.Pools {
		p := &s.Pools[i]
		for k := range p.Datasets {
			d := &p.Datasets[k]
			t.Remark(table.Name(d.Name), table.Plain(": "+poolVerdict(d)))
			for _, f := range d.Families {
				tried += f.Tried
			}
		}
		if p.Unit != "" && !slices.Contains(units, p.Unit) {
			units = append(units, p.Unit)
		}
	}
	unit := ""
	if len(units) > 0 {
		unit = " Costs are in " + strings.Join(units, ", ") + "."
	}
	t.Remark(table.Plain(fmt.Sprintf("Chosen on the fit part among %d policies (single models, every threshold of every "+
		"pair, chains, ensembles and routers) and measured on the test part, at each record's own cost.%s Brackets are %s "+
		"intervals; those of what cascades save and how much more they err hold together, so that the best may be "+
		"picked.", tried, unit, percent(s.Level))))
	t.Remark(table.Plain("Worth asking: the best choice at these prices of an error asks the model, alone or not; the " +
		"CSV file has the choices. Without it: what the best choice of the other models costs more than that of all, " +
		"errors counted at the price where this is most on the fit part. For each model that is best among single models " +
		"at some price, the cheapest cascade that errs no more on the fit part is set beside the cheapest single model, " +
		"or two mixed at random, that errs at most the margin more on the test part itself, found anew in every " +
		"resample. Saves: what the cheaper of the two costs less, as a share of the other's cost, below 0 where that is " +
		"not the cascade. Errs more: than the model whose error it is to have. Loss: what the cascade costs beyond an " +
		"oracle that errs as often, in percent of its cost: for want of a perfect confidence (signal), of asking the " +
		"right model straight away (structure), and of the other models of the pool."))
}

// scaled is a share with its interval times a factor, in percent; nil where there is none.
func scaled(iv *infer.Interval, times float64, decimals int) any {
	if iv == nil {
		return nil
	}
	return table.Estimated(times*iv.Value, times*iv.Low, times*iv.High, decimals).AsPercent()
}

// worthWords lists ranges of prices of an error.
func worthWords(list []result.PriceRange) (t table.Text) {
	if len(list) == 0 {
		return table.Words("never")
	}
	price := func(v result.Float) table.Part {
		return table.InText(table.Number{Value: float64(v), Significant: 2})
	}
	for i, r := range list {
		if i > 0 {
			t = append(t, table.Plain(", "))
		}
		always := math.IsInf(float64(r.To), 1)
		switch {
		case r.From == 0 && always:
			t = append(t, table.Plain("anything"))
		case r.From == 0:
			t = append(t, table.Plain("≤ "), price(r.To))
		case always:
			t = append(t, table.Plain("≥ "), price(r.From))
		default:
			t = append(t, price(r.From), table.Plain(" to "), price(r.To))
		}
	}
	return t
}

// poolVerdict says in a sentence whether any cascade is worth it.
func poolVerdict(d *result.PoolDataset) string {
	var worth, alone, more []string
	for _, x := range d.Savings {
		alone = append(alone, x.Model)
		if x.Rival == nil {
			continue
		}
		name := strings.Join(x.Cascade.Models, " → ")
		text := fmt.Sprintf("%s less than any single model, or random mix of two, that errs %s",
			note.ShareOfCost(x.Rival.Saved), note.AtMost(x.Rival.Margin))
		switch x.Rival.Verdict {
		case string(pool.WorthIt):
			worth = append(worth, fmt.Sprintf("%s for the error of %s: it costs %s, and errs %s", name, x.Model, text,
				note.Points(x.Rival.Error)))
		case string(pool.ErrsMore):
			more = append(more, fmt.Sprintf(" %s errs %s than %s.", name, note.Points(x.Rival.Error), x.Model))
		}
	}
	text := "worth it is " + strings.Join(worth, "; ") + "."
	if len(worth) == 0 {
		text = "no cascade is shown to be worth it. Ask a single model, by the price of an error: " +
			strings.Join(alone, ", ") + "."
	}
	return text + strings.Join(more, "")
}

// choiceName names a policy.
func choiceName(p *result.PoolPolicy) string {
	names := strings.Join(p.Models, ", ")
	switch p.Kind {
	case "cascade":
		return strings.Join(p.Models, " → ")
	case "ensemble":
		return "ensemble (" + p.Rule + "): " + names
	case "router":
		if p.By != "" {
			return baseline.Of(baseline.Kind(p.By)).Title + ": " + names
		}
		return "router: " + names
	}
	return names + " alone"
}
