package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

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
	of := partly(func(x poolRow) *result.PoolModel { return x.model }, nil)
	cascade := partly(func(x poolRow) *result.PoolChoice { return x.saving.Cascade }, nil, left)
	rival := partly(func(x poolRow) *result.Rival { return x.saving.Rival }, nil)
	without := partly(func(x poolRow) *result.PoolWithout {
		if x.model == nil {
			return nil
		}
		return x.model.Without
	}, nil)
	loss := func(what, field string, v func(r *result.PoolSaving) *infer.Interval) column[poolRow] {
		return number("Loss, "+what+" (%)", field, func(x poolRow) any {
			unit := math.NaN()
			if c := x.saving.Cascade; c != nil && c.Cost.Value > 0 {
				unit = 1 / c.Cost.Value
			}
			return scaled(v(&x.saving), unit, 0)
		})
	}
	return []column[poolRow]{
		of("Model", "model", func(m *result.PoolModel) any { return table.Name(m.Model) }, left),
		of("Worth asking while an error costs", "worth_asking",
			func(m *result.PoolModel) any { return worthWords(m.Worth) }, left),
		without("Without it (%)", "lost_without", func(w *result.PoolWithout) any { return scaled(w.Lost, 1, 1) }),
		cascade("Best cascade of no more error", "cascade",
			func(c *result.PoolChoice) any { return strings.Join(c.Models, " → ") }),
		rival("Saves (%)", "saved", func(v *result.Rival) any { return scaled(&v.Saved, 1, 1) }),
		rival("Errs more (points)", "error_difference", func(v *result.Rival) any { return scaled(&v.Error, 1, 2) }),
		text("Verdict", "verdict", func(x poolRow) any {
			switch {
			case x.model == nil:
				return nil
			case x.saving.Rival == nil:
				return "none"
			}
			return x.saving.Rival.Verdict
		}),
		loss("signal", "loss_signal", func(r *result.PoolSaving) *infer.Interval { return r.Signal }),
		loss("structure", "loss_structure", func(r *result.PoolSaving) *infer.Interval { return r.Structure }),
		loss("other models", "loss_other_models", func(r *result.PoolSaving) *infer.Interval { return r.Choice }),
		rival("Instead of", "rival", func(v *result.Rival) any {
			if v.P > 0 {
				return fmt.Sprintf("%s %.3g, %s %.3g", v.First, 1-v.P, v.Second, v.P)
			}
			return v.First
		}, csvOnly),
		without("Without it, while an error costs", "without_price",
			func(w *result.PoolWithout) any { return exactly(w.Price, 6) }, csvOnly, exact),
		of("Oracle asks", "oracle_asks", func(m *result.PoolModel) any { return exactPercent(m.OracleAsks, 1) }, csvOnly,
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
	err := partly(func(x poolRow) *infer.Interval {
		switch {
		case x.model != nil:
			return &x.model.Error
		case x.choice != nil:
			return &x.choice.Error
		}
		return nil
	}, nil)
	cost := partly(func(x poolRow) *infer.Interval {
		switch {
		case x.model != nil:
			return &x.model.Cost
		case x.choice != nil:
			return &x.choice.Cost
		}
		return nil
	}, nil)
	of := within("", func(x poolRow) *result.PoolChoice { return x.choice }, exact)
	return []column[poolRow]{
		err("Error (%)", "error", func(iv *infer.Interval) any { return scaled(iv, 1, 1) }),
		cost("Cost of 1,000", "cost_of_1000", func(iv *infer.Interval) any { return threeDigits(*iv, 1000) }),
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
		even := func(x *result.PoolPair) *result.PoolEven {
			switch {
			case name == "test":
				return &result.PoolEven{FitEven: x.FitEven, BreakEven: x.BreakEven}
			case k < len(x.Even):
				return &x.Even[k]
			}
			return nil
		}
		out = append(out,
			of("break_even_"+name, func(x *result.PoolPair) any {
				if e := even(x); e != nil {
					return scaled(e.BreakEven, 1, 1)
				}
				return nil
			}),
			of("cheaper_"+name, func(x *result.PoolPair) any {
				e := even(x)
				switch ratio := float64(x.Ratio); {
				case e == nil || e.BreakEven == nil || ratio > e.BreakEven.High:
					return "no"
				case ratio < e.BreakEven.Low:
					return "yes"
				}
				return "unclear"
			}),
			of("break_even_"+name+"_fit", func(x *result.PoolPair) any {
				if e := even(x); e != nil {
					return exactPercent(e.FitEven, 1)
				}
				return nil
			}, exact))
	}
	return out
}

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

func choiceName(p *result.PoolPolicy) string {
	names := strings.Join(p.Models, ", ")
	switch p.Kind {
	case "cascade":
		return strings.Join(p.Models, " → ")
	case "ensemble":
		return "ensemble (" + p.Rule + "): " + names
	case "router":
		return "router: " + names
	}
	return names + " alone"
}
