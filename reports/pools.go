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
	choice *result.PoolChoice
	pair   *result.PoolPair
}

// pools is what the models of pools are worth. ok is false where a study has none.
func pools(s *result.Results) (t table.Table, ok bool) {
	if len(s.Pools) == 0 {
		return t, false
	}
	t = table.Table{Kind: "pools", Caption: poolsCaption(s)}
	var shown, all [][]poolRow
	for i := range s.Pools {
		p := &s.Pools[i]
		for k := range p.Datasets {
			d := &p.Datasets[k]
			var models, rest []poolRow
			for j := range d.Models {
				models = append(models, poolRow{p: p, d: d, model: &d.Models[j]})
			}
			for j := range d.Envelope {
				rest = append(rest, poolRow{p: p, d: d, choice: &d.Envelope[j]})
			}
			for j := range d.Pairs {
				rest = append(rest, poolRow{p: p, d: d, pair: &d.Pairs[j]})
			}
			shown, all = append(shown, models), append(all, slices.Concat(models, rest))
		}
	}
	columns := slices.Concat(modelWorthColumns(&t, s), poolCostColumns(), choiceColumns(), pairColumns())
	fill(&t, columns, shown)
	t.Data = rows(columns, all)
	poolRemarks(s, &t)
	return t, true
}

func poolsCaption(s *result.Results) table.Text {
	var t table.Text
	var names []string
	for _, p := range s.Pools {
		if p.Incomplete && t == nil {
			t = incomplete()
		}
		names = append(names, p.Name)
	}
	what := "Which models are worth asking, and what a cascade saves: pool "
	return append(append(append(t, table.Plain(what)), nameList(names)...), table.Plain("."))
}

// saving is what a cascade saves at the model's error.
func (x poolRow) saving() (out result.PoolSaving) {
	for _, v := range x.d.Savings {
		if x.model != nil && v.Model == x.model.Model {
			out = v
		}
	}
	return out
}

// modelWorthColumns are those that readers see: of a model alone, and of the best cascade of no more error.
func modelWorthColumns(t *table.Table, s *result.Results) []column[poolRow] {
	of := func(head, field string, cell func(x poolRow) table.Cell, looks ...look) column[poolRow] {
		return cells(table.Words(head), []string{field}, func(x poolRow) table.Cell {
			if x.model == nil {
				return table.Cell{}
			}
			return cell(x)
		}, looks...)
	}
	loss := func(head, field string, v func(r *result.PoolSaving) *infer.Interval) column[poolRow] {
		return of(head, field, func(x poolRow) table.Cell {
			r, unit := x.saving(), math.NaN()
			if r.Cascade != nil && r.Cascade.Cost.Value > 0 {
				unit = 1 / r.Cascade.Cost.Value
			}
			return scaled(v(&r), unit, 0, true)
		}, alignRight)
	}
	about := poolMarks(t, s)
	return []column[poolRow]{
		cells(table.Words("Pool"), []string{"pool"}, func(x poolRow) table.Cell { return table.Of(table.Name(x.p.Name)) },
			merge, only(len(s.Pools) > 1)),
		cells(table.Words("Dataset"), []string{"dataset"}, func(x poolRow) table.Cell {
			return table.Cell{Text: table.Text{table.Name(x.d.Name)}, Marks: about[x.d]}
		}, merge),
		of("Model", "model", func(x poolRow) table.Cell { return table.Of(table.Name(x.model.Model)) }),
		of("Worth asking while an error costs", "worth_asking", func(x poolRow) table.Cell {
			return table.Cell{Text: worthWords(x.model.Worth)}
		}),
		of("Without it (%)", "lost_without", func(x poolRow) table.Cell {
			if x.model.Without == nil {
				return table.Cell{}
			}
			return scaled(x.model.Without.Lost, 1, 1, true)
		}, alignRight),
		of("Best cascade of no more error", "cascade", func(x poolRow) table.Cell {
			if c := x.saving().Cascade; c != nil {
				return table.Of(table.Plain(strings.Join(c.Models, " → ")))
			}
			return table.Cell{}
		}),
		of("Saves (%)", "saved", func(x poolRow) table.Cell {
			if v := x.saving().Rival; v != nil {
				return scaled(&v.Saved, 1, 1, true)
			}
			return table.Cell{}
		}, alignRight),
		of("Errs more (points)", "error_difference", func(x poolRow) table.Cell {
			if v := x.saving().Rival; v != nil {
				return scaled(&v.Error, 1, 2, true)
			}
			return table.Cell{}
		}, alignRight),
		of("Verdict", "verdict", func(x poolRow) table.Cell {
			if v := x.saving().Rival; v != nil {
				return table.Of(table.Plain(v.Verdict))
			}
			return table.Of(table.Plain("none"))
		}),
		loss("Loss, signal (%)", "loss_signal", func(r *result.PoolSaving) *infer.Interval { return r.Signal }),
		loss("Loss, structure (%)", "loss_structure", func(r *result.PoolSaving) *infer.Interval { return r.Structure }),
		loss("Loss, other models (%)", "loss_other_models", func(r *result.PoolSaving) *infer.Interval { return r.Choice }),
		of("Instead of", "rival", func(x poolRow) table.Cell {
			v := x.saving().Rival
			switch {
			case v == nil:
				return table.Cell{}
			case v.P > 0:
				return table.Of(table.Plain(fmt.Sprintf("%s %.3g, %s %.3g", v.First, 1-v.P, v.Second, v.P)))
			}
			return table.Of(table.Plain(v.First))
		}, csvOnly),
		of("Without it, while an error costs", "without_price", func(x poolRow) table.Cell {
			return withoutPrice(x.model.Without)
		}, csvOnly, exact),
		of("Oracle asks", "oracle_asks", func(x poolRow) table.Cell {
			return table.Of(table.Num(table.Exactly(x.model.OracleAsks, 1).AsPercent()))
		}, csvOnly, exact),
	}
}

// poolNotes are the caveats of a pool: those that the analysis wrote, and those of how its answers were graded.
func poolNotes(d *result.PoolDataset) []result.Note {
	notes := slices.Clone(d.Notes)
	graded := result.Dataset{Grader: d.Grader, Diagnostics: d.Audits, Counts: result.Counts{Graded: d.Counts.Graded}}
	for _, n := range datasetNotes(&graded) {
		if slices.Contains([]note.Kind{"no-answer", "undecided", "judged", "misjudged"}, n.Kind) {
			notes = append(notes, n)
		}
	}
	return notes
}

// poolMarks are the footnotes of pools.
func poolMarks(t *table.Table, s *result.Results) map[*result.PoolDataset][]int {
	about := map[*result.PoolDataset][]int{}
	for i := range s.Pools {
		for k := range s.Pools[i].Datasets {
			d := &s.Pools[i].Datasets[k]
			for _, n := range poolNotes(d) {
				about[d] = append(about[d], t.Note(string(n.Kind), n.Text))
			}
			if lost := d.Counts.Records - d.Counts.Used; lost > 0 {
				about[d] = append(about[d], t.Note("missing", fmt.Sprintf("Left out because a model did not answer: %d of %s%s.",
					lost, plural(d.Counts.Records, "record"), causes(d.Counts.Missing))))
			}
		}
	}
	return about
}

// poolCostColumns are the error and the cost of a model alone, or of a choice.
func poolCostColumns() []column[poolRow] {
	return []column[poolRow]{
		cells(table.Words("Error (%)"), []string{"error"}, func(x poolRow) table.Cell {
			switch {
			case x.model != nil:
				return scaled(&x.model.Error, 1, 1, true)
			case x.choice != nil:
				return scaled(&x.choice.Error, 1, 1, true)
			}
			return table.Cell{}
		}, alignRight),
		cells(table.Words("Cost of 1,000"), []string{"cost_of_1000"}, func(x poolRow) table.Cell {
			switch {
			case x.model != nil:
				return threeDigits(&x.model.Cost, 1000)
			case x.choice != nil:
				return threeDigits(&x.choice.Cost, 1000)
			}
			return table.Cell{}
		}, alignRight),
		text("Unit", "cost_unit", func(x poolRow) string { return x.p.Unit }, csvOnly),
	}
}

// choiceColumns are the best choice at every price of an error, in CSV files.
func choiceColumns() []column[poolRow] {
	of := func(field string, cell func(c *result.PoolChoice) table.Cell) column[poolRow] {
		return cells(table.Words(field), []string{field}, func(x poolRow) table.Cell {
			if x.choice == nil {
				return table.Cell{}
			}
			return cell(x.choice)
		}, csvOnly, exact)
	}
	value := func(field string, v func(c *result.PoolChoice) float64) column[poolRow] {
		return of(field, func(c *result.PoolChoice) table.Cell { return table.Of(count(v(c))) })
	}
	return []column[poolRow]{
		of("choice", func(c *result.PoolChoice) table.Cell { return table.Of(table.Plain(choiceName(&c.PoolPolicy))) }),
		of("thresholds", func(c *result.PoolChoice) table.Cell {
			var thetas []string
			for _, theta := range c.Thetas {
				thetas = append(thetas, table.Raw(float64(theta)))
			}
			return table.Of(table.Plain(strings.Join(thetas, "; ")))
		}),
		value("from_price", func(c *result.PoolChoice) float64 { return float64(c.Price.From) }),
		value("to_price", func(c *result.PoolChoice) float64 { return float64(c.Price.To) }),
		value("fit_error", func(c *result.PoolChoice) float64 { return c.Fit.Error }),
		value("fit_cost_of_1000", func(c *result.PoolChoice) float64 { return 1000 * c.Fit.Cost }),
	}
}

// pairColumns are the break-even price ratios of pairs, in CSV files.
func pairColumns() []column[poolRow] {
	of := func(field string, cell func(x *result.PoolPair) table.Cell, looks ...look) column[poolRow] {
		return cells(table.Words(field), []string{field}, func(x poolRow) table.Cell {
			if x.pair == nil {
				return table.Cell{}
			}
			return cell(x.pair)
		}, append(looks, csvOnly)...)
	}
	share := func(v float64) table.Cell { return table.Of(table.Num(table.Exactly(v, 1).AsPercent())) }
	even := func(x *result.PoolPair, k int) *infer.Interval {
		if k < 0 {
			return x.BreakEven
		}
		if k < len(x.Even) {
			return x.Even[k].BreakEven
		}
		return nil
	}
	out := []column[poolRow]{
		of("student", func(x *result.PoolPair) table.Cell { return table.Of(table.Name(x.Student)) }),
		of("master", func(x *result.PoolPair) table.Cell { return table.Of(table.Name(x.Master)) }),
		of("price_ratio", func(x *result.PoolPair) table.Cell { return share(float64(x.Ratio)) }, exact),
	}
	for k, name := range []string{"at_master", "half_way", "test"} {
		if name == "test" {
			k = -1 // at any error
		}
		out = append(out,
			of("break_even_"+name, func(x *result.PoolPair) table.Cell { return scaled(even(x, k), 1, 1, true) }),
			of("cheaper_"+name, func(x *result.PoolPair) table.Cell {
				return table.Of(table.Plain(ratioWorth(float64(x.Ratio), even(x, k))))
			}),
			of("break_even_"+name+"_fit", func(x *result.PoolPair) table.Cell {
				switch {
				case k < 0:
					return share(x.FitEven)
				case k < len(x.Even):
					return share(x.Even[k].FitEven)
				}
				return table.Cell{}
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

// scaled is an interval times a factor; empty where there is none.
func scaled(iv *infer.Interval, times float64, decimals int, share bool) table.Cell {
	if iv == nil {
		return table.Cell{}
	}
	n := table.Estimated(times*iv.Value, times*iv.Low, times*iv.High, decimals)
	n.Percent = share
	return table.Of(table.Num(n))
}

// threeDigits is an interval times a factor, with three significant digits.
func threeDigits(iv *infer.Interval, times float64) table.Cell {
	n := table.Estimated(times*iv.Value, times*iv.Low, times*iv.High, 0)
	n.Significant = 3
	return table.Of(table.Num(n))
}

// worthWords lists ranges of prices.
func worthWords(list []result.PriceRange) (t table.Text) {
	if len(list) == 0 {
		return table.Words("never")
	}
	for i, r := range list {
		if i > 0 {
			t = append(t, table.Plain(", "))
		}
		t = append(t, priceWords(r)...)
	}
	return t
}

// priceWords is a range of prices of an error.
func priceWords(r result.PriceRange) table.Text {
	price := func(v result.Float) table.Part {
		return table.InText(table.Number{Value: float64(v), Significant: 2})
	}
	switch {
	case r.From == 0 && math.IsInf(float64(r.To), 1):
		return table.Words("anything")
	case r.From == 0:
		return table.Text{table.Plain("≤ "), price(r.To)}
	case math.IsInf(float64(r.To), 1):
		return table.Text{table.Plain("≥ "), price(r.From)}
	}
	return table.Text{price(r.From), table.Plain(" to "), price(r.To)}
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

// ratioWorth compares a pair's price ratio with where it breaks even.
func ratioWorth(ratio float64, even *infer.Interval) string {
	switch {
	case even == nil:
		return "no"
	case ratio < even.Low:
		return "yes"
	case ratio > even.High:
		return "no"
	}
	return "unclear"
}

// withoutPrice is the price of an error at which a pool loses most without a model.
func withoutPrice(w *result.PoolWithout) table.Cell {
	if w == nil {
		return table.Cell{}
	}
	return table.Of(table.Num(table.Exactly(w.Price, 6)))
}
