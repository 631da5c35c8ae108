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

// poolRow is a model of a pool on a dataset.
type poolRow struct {
	p      *result.Pool
	d      *result.PoolDataset
	model  *result.PoolModel
	saving result.PoolSaving // what a cascade saves at the model's error
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
	fill(&t, append(where, modelWorthColumns()...), groups, nil)
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
	return out
}

// modelWorthColumns are of the best cascade of no more error than a model, and of it alone.
func modelWorthColumns() []column[poolRow] {
	cascade := partly(func(x poolRow) *result.PoolChoice { return x.saving.Cascade }, nil, left)
	rival := partly(func(x poolRow) *result.Rival { return x.saving.Rival }, nil)
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
		text("Model", "model", func(x poolRow) table.Part { return table.Name(x.model.Model) }),
		text("Worth asking while an error costs", "worth_asking",
			func(x poolRow) table.Text { return worthWords(x.model.Worth) }),
		cascade("Best cascade of no more error", "cascade",
			func(c *result.PoolChoice) any { return strings.Join(c.Models, " → ") }),
		rival("Saves (%)", "saved", func(v *result.Rival) any { return scaled(&v.Saved, 1, 1) }),
		rival("Errs more (points)", "error_difference", func(v *result.Rival) any { return scaled(&v.Error, 1, 2) }),
		text("Verdict", "verdict", func(x poolRow) any {
			if x.saving.Rival == nil {
				return "none"
			}
			return x.saving.Rival.Verdict
		}),
		loss("signal", "loss_signal", func(r *result.PoolSaving) *infer.Interval { return r.Signal }),
		loss("structure", "loss_structure", func(r *result.PoolSaving) *infer.Interval { return r.Structure }),
		loss("other models", "loss_other_models", func(r *result.PoolSaving) *infer.Interval { return r.Choice }),
		number("Error (%)", "error", func(x poolRow) any { return scaled(&x.model.Error, 1, 1) }),
		number("Cost of 1,000", "cost_of_1000", func(x poolRow) any { return threeDigits(x.model.Cost, 1000) }),
		text("Unit", "cost_unit", func(x poolRow) string { return x.p.Unit }, csvOnly),
	}
}

// poolNotes are the caveats of a pool: those that the analysis wrote, and those of how its answers were graded.
func poolNotes(d *result.PoolDataset) []result.Note {
	graded := &result.Dataset{Grader: d.Grader, Diagnostics: d.Audits, Counts: d.Counts}
	return append(slices.Clone(d.Notes), clip(gradedNotes(graded))...)
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
	t.Remark(table.Plain("Worth asking: the best choice at these prices of an error asks the model, alone or not. " +
		"For each model that is best among single models " +
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
