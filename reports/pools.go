package reports

import (
	"fmt"
	"math"
	"strings"

	"infnet/harness/pool"
	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// poolTables are the tables of a pool: what its models are worth, and for who wants to
// know more the best choice at every price of an error and the price ratios.
func poolTables(s *result.Results, p *result.Pool) []table.Table {
	return append([]table.Table{poolWorth(s, p)}, details(poolEnvelope(s, p), poolPairs(s, p))...)
}

// poolCaption begins a caption.
func poolCaption(p *result.Pool, what string) table.Text {
	t := table.Text{}
	if p.Incomplete {
		t = incomplete()
	}
	return append(t, table.Plain(what+" pool "), table.Name(p.Name), table.Plain("."))
}

// poolWorth is a row per model: alone, where it is worth asking, and what a cascade of no
// more error saves.
func poolWorth(s *result.Results, p *result.Pool) table.Table {
	cost := "Cost of 1,000 queries"
	if p.Unit != "" {
		cost += " (" + p.Unit + ")"
	}
	t := table.Table{Caption: poolCaption(p, "Which models are worth asking, and what a cascade saves:"),
		Of: p.Name, Kind: "pool-worth",
		Columns: []table.Column{
			{Head: table.Words("Dataset"), Fields: []string{"dataset"}, Merge: true},
			{Head: table.Words("Model"), Fields: []string{"model"}},
			{Head: table.Words("Error (%)"), Fields: []string{"error"}, Align: table.Right},
			{Head: table.Words(cost), Fields: []string{"cost_of_1000"}, Align: table.Right},
			{Head: table.Words("Worth asking while an error costs"), Fields: []string{"worth_asking"}},
			{Head: table.Words("Without it (%)"), Fields: []string{"lost_without"}, Align: table.Right},
			{Head: table.Words("Best cascade of no more error"), Fields: []string{"cascade"}},
			{Head: table.Words("Saves (%)"), Fields: []string{"saved"}, Align: table.Right},
			{Head: table.Words("Errs more (points)"), Fields: []string{"error_difference"}, Align: table.Right},
			{Head: table.Words("Verdict"), Fields: []string{"verdict"}},
			{Head: table.Words("Loss, signal (%)"), Fields: []string{"loss_signal"}, Align: table.Right},
			{Head: table.Words("Loss, structure (%)"), Fields: []string{"loss_structure"}, Align: table.Right},
			{Head: table.Words("Loss, other models (%)"), Fields: []string{"loss_other_models"}, Align: table.Right},
			{Head: table.Words("Instead of"), Fields: []string{"rival"}, DataOnly: true},
			{Head: table.Words("Without it, while an error costs"), Fields: []string{"without_price"}, DataOnly: true,
				Exact: true},
			{Head: table.Words("Oracle asks"), Fields: []string{"oracle_asks"}, DataOnly: true, Exact: true},
		}}
	for i := range p.Datasets {
		d := &p.Datasets[i]
		t.Remark(table.Name(d.Name), table.Plain(": "+poolVerdict(d)))
		var marks []int
		for _, n := range d.Notes {
			marks = append(marks, t.Note(string(n.Kind), n.Text))
		}
		if lost := d.Counts.Records - d.Counts.Used; lost > 0 {
			marks = append(marks, t.Note("missing", fmt.Sprintf("Left out because a model did not answer: %d of %s%s.", lost,
				plural(d.Counts.Records, "record"), causes(d.Counts.Missing))))
		}
		var group []table.Row
		for k := range d.Models {
			group = append(group, poolRow(d, &d.Models[k]))
		}
		group[0][0].Marks = marks
		t.Groups = append(t.Groups, group)
	}
	t.Remark(table.Plain(fmt.Sprintf("Chosen on the fit part and measured on the test part, at each record's own cost. "+
		"Brackets are %s intervals; those of what cascades save and how much more they err hold together, so that the "+
		"best of "+
		"them may be picked.", percent(s.Level))))
	t.Remark(table.Plain("A model is worth asking if the best choice at some price of an error asks it, alone or not; " +
		"the choices are in a table of their own. Without it: what the best choice of the other models costs more " +
		"than that of all, errors counted at the price where this is most on the fit part; these intervals " +
		"hold together too. For each model that is best among single models at some price, the cheapest " +
		"cascade that errs no more on the fit part is set beside the cheapest single model, or coin between two, that " +
		"errs at most the margin more on the test part itself, found anew in every resample. Saves: what the cheaper of " +
		"the two costs less, as a share of the other's cost, below 0 where that is not the cascade. Errs more: than the " +
		"model whose error it is to have. Loss: what the cascade costs beyond an oracle that errs as often, in " +
		"percent of its cost: a perfect confidence would save the first part (signal), asking the right model " +
		"straight away the second (structure: the price of the student on deferred queries), the other models " +
		"of the pool the third."))
	return t
}

// poolRow is one model of a pool.
func poolRow(d *result.PoolDataset, m *result.PoolModel) table.Row {
	row := table.Row{
		table.Of(table.Name(d.Name)), table.Of(table.Name(m.Model)), scaled(&m.Error, 1, 1, true),
		threeDigits(&m.Cost, 1000), table.Of(worthWords(m.Worth)...), withoutCell(m.Without),
	}
	var saving result.PoolSaving
	for _, x := range d.Savings {
		if x.Model == m.Model {
			saving = x
		}
	}
	c := saving.Cascade
	name, unit := "", math.NaN()
	if c != nil {
		if name = strings.Join(c.Models, " → "); c.Cost.Value > 0 {
			unit = 1 / c.Cost.Value
		}
	}
	verdict, rival := "none", ""
	var saved, more *infer.Interval
	if v := saving.Rival; v != nil {
		verdict, rival, saved, more = v.Verdict, v.First, &v.Saved, &v.Error
		if v.P > 0 {
			rival = fmt.Sprintf("%s %.3g, %s %.3g", v.First, 1-v.P, v.Second, v.P)
		}
	}
	return append(row,
		table.Of(table.Plain(name)), scaled(saved, 1, 1, true), scaled(more, 1, 2, true),
		table.Of(table.Plain(verdict)), scaled(saving.Signal, unit, 0, true),
		scaled(saving.Structure, unit, 0, true), scaled(saving.Choice, unit, 0, true),
		table.Of(table.Plain(rival)), withoutPrice(m.Without),
		table.Of(table.Num(table.Exactly(m.OracleAsks, 1).AsPercent())))
}

// withoutCell is what a pool loses without a model, in percent; empty where that is not defined.
func withoutCell(w *result.PoolWithout) table.Cell {
	if w == nil {
		return table.Cell{}
	}
	return scaled(w.Lost, 1, 1, true)
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
		text := fmt.Sprintf("%s less than the cheapest single model, or coin between two, that errs %s",
			shareWords(x.Rival.Saved), atMost(x.Rival.Margin))
		switch x.Rival.Verdict {
		case string(pool.WorthIt):
			worth = append(worth, fmt.Sprintf("%s for the error of %s: it costs %s, and errs %s", name, x.Model, text,
				pointsWords(x.Rival.Error)))
		case string(pool.ErrsMore):
			more = append(more, fmt.Sprintf(" %s errs %s than %s.", name, pointsWords(x.Rival.Error), x.Model))
		}
	}
	text := "worth it is " + strings.Join(worth, "; ") + "."
	if len(worth) == 0 {
		text = "no cascade is shown to be worth it beside single models and coins between two. Ask a single model, by the " +
			"price of an error: " + strings.Join(alone, ", ") + "."
	}
	return text + strings.Join(more, "")
}

// poolEnvelope is the best choice at every price of an error.
func poolEnvelope(s *result.Results, p *result.Pool) table.Table {
	t := table.Table{Caption: poolCaption(p, "The best choice at every price of an error:"),
		Of: p.Name, Kind: "pool-choices",
		Columns: []table.Column{
			{Head: table.Words("Dataset"), Fields: []string{"dataset"}, Merge: true},
			{Head: table.Words("While an error costs"), Fields: []string{"from_price", "to_price"}, Exact: true},
			{Head: table.Words("Choice"), Fields: []string{"choice"}},
			{Head: table.Words("Thresholds"), Fields: []string{"thresholds"}},
			{Head: table.Words("Fit: error (%)"), Fields: []string{"fit_error"}, Exact: true, Align: table.Right},
			{Head: table.Words("cost of 1,000"), Fields: []string{"fit_cost_of_1000"}, Exact: true, Align: table.Right},
			{Head: table.Words("Test: error (%)"), Fields: []string{"error"}, Align: table.Right},
			{Head: table.Words("cost of 1,000"), Fields: []string{"cost_of_1000"}, Align: table.Right},
		}}
	tried := 0
	for i := range p.Datasets {
		d := &p.Datasets[i]
		for _, f := range d.Families {
			tried += f.Tried
		}
		var group []table.Row
		for _, c := range d.Envelope {
			var thetas table.Text
			for k, theta := range c.Thetas {
				if k > 0 {
					thetas = append(thetas, table.Plain(", "))
				}
				thetas = append(thetas, table.InText(table.Number{Value: float64(theta), Significant: 6}))
			}
			price := func(v result.Float) table.Part {
				return table.Num(table.Number{Value: float64(v), Significant: 3})
			}
			group = append(group, table.Row{
				table.Of(table.Name(d.Name)), table.Of(price(c.Price.From), table.Plain(" to "), price(c.Price.To)),
				table.Of(table.Plain(choiceName(&c.PoolPolicy))), table.Of(thetas...),
				table.Of(table.Num(table.Exactly(c.Fit.Error, 1).AsPercent())),
				table.Of(table.Num(table.Number{Value: 1000 * c.Fit.Cost, Significant: 3})),
				scaled(&c.Error, 1, 1, true), threeDigits(&c.Cost, 1000),
			})
		}
		t.Groups = append(t.Groups, group)
	}
	t.Remark(table.Plain(fmt.Sprintf("The lower convex hull of %d policies on the fit part: single models, every "+
		"threshold of "+
		"every pair, chains, ensembles and routers. Between two neighbouring choices lies what a coin between them "+
		"does. The "+
		"price at which the choice changes is the shadow price of an error: what one error less costs there, in the unit of "+
		"cost. The difference between fit and test is what choosing the best of so many costs.", tried)))
	return t
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
		return "router: " + names
	}
	return names + " alone"
}

// poolPairs is the map of break-even price ratios: a row per pair.
func poolPairs(s *result.Results, p *result.Pool) table.Table {
	t := table.Table{Caption: poolCaption(p, "At which price ratio a pair begins to be cheaper:"),
		Of: p.Name, Kind: "pool-break-even",
		Columns: []table.Column{
			{Head: table.Words("Dataset"), Fields: []string{"dataset"}, Merge: true},
			{Head: table.Words("Student"), Fields: []string{"student"}},
			{Head: table.Words("Master"), Fields: []string{"master"}},
			{Head: table.Words("Price ratio (%)"), Fields: []string{"price_ratio"}, Exact: true, Align: table.Right},
			{Head: table.Words("Break-even at the master's error (%)"), Fields: []string{"break_even_at_master"},
				Align: table.Right},
			{Head: table.Words("Cheaper"), Fields: []string{"cheaper_at_master"}},
			{Head: table.Words("Half way (%)"), Fields: []string{"break_even_half_way"}, Align: table.Right},
			{Head: table.Words("Cheaper"), Fields: []string{"cheaper_half_way"}},
			{Head: table.Words("At any error (%)"), Fields: []string{"break_even_test"}, Align: table.Right},
			{Head: table.Words("Cheaper"), Fields: []string{"cheaper"}},
			{Head: table.Words("On the fit part: at the master's error (%)"), Fields: []string{"break_even_at_master_fit"},
				DataOnly: true, Exact: true},
			{Head: table.Words("half way (%)"), Fields: []string{"break_even_half_way_fit"}, DataOnly: true, Exact: true},
			{Head: table.Words("at any error (%)"), Fields: []string{"break_even_fit"}, DataOnly: true, Exact: true},
		}}
	for i := range p.Datasets {
		d := &p.Datasets[i]
		var group []table.Row
		for _, x := range d.Pairs {
			exactly := func(v float64) table.Cell { return table.Of(table.Num(table.Exactly(v, 1).AsPercent())) }
			ratio := float64(x.Ratio)
			row := table.Row{table.Of(table.Name(d.Name)), table.Of(table.Name(x.Student)), table.Of(table.Name(x.Master)),
				exactly(ratio)}
			fit := []table.Cell{{}, {}, exactly(x.FitEven)}
			for k := range fit[:2] {
				var even *infer.Interval
				word := "no"
				if k < len(x.Even) {
					even, fit[k] = x.Even[k].BreakEven, exactly(x.Even[k].FitEven)
					word = ratioWorth(ratio, even)
				}
				row = append(row, scaled(even, 1, 1, true), table.Of(table.Plain(word)))
			}
			row = append(row, scaled(x.BreakEven, 1, 1, true), table.Of(table.Plain(ratioWorth(ratio, x.BreakEven))))
			group = append(group, append(row, fit...))
		}
		if len(group) > 0 {
			t.Groups = append(t.Groups, group)
		}
	}
	t.Remark(table.Plain("Price ratio: the student's mean cost over the master's, on the fit part. Below the " +
		"break-even ratio the pair is cheaper than both models, and than every coin between them, of no more error; empty: " +
		"at no price. At the master's error: the cheapest threshold that errs no more than the master on the fit part; " +
		"half way: no more than the mean of both models' errors; at any error: the threshold that allows the highest " +
		"ratio, however much it errs. Deferrals are measured on the test part. Other " +
		"models of the pool may still be cheaper."))
	return t
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
