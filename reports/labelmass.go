package reports

import (
	"fmt"
	"math"
	"strings"

	"infnet/harness/result"
	"infnet/reports/table"
)

// massNote says which models put little of their probability on the labels.
// Where the mass is not known it says nothing.
func massNote(list []result.LabelMass) string {
	var parts []string
	for _, k := range list {
		of := fmt.Sprintf("%s of %s", plural(k.Answers, "classification"), short(k.Model))
		less := fmt.Sprintf("less than %v of the probability on the labels", k.Floor)
		switch {
		case k.Below > 0 && k.Open > 0:
			parts = append(parts, fmt.Sprintf("%d of %s put %s, and %d more may", k.Below, of, less, k.Open))
		case k.Below > 0:
			parts = append(parts, fmt.Sprintf("%d of %s put %s", k.Below, of, less))
		case k.Open > 0:
			parts = append(parts, fmt.Sprintf("%d of %s may put %s, which the server only bounds", k.Open, of, less))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return sentence(strings.Join(parts, "; ") + ": their confidence speaks of the labels alone")
}

// massRows adds a model's rows to the table of records.
func massRows(k result.LabelMass, add func(what, model string, n int)) {
	if k.Below > 0 {
		add(fmt.Sprintf("label mass below %v", k.Floor), k.Model, k.Below)
	}
	if k.Open > 0 {
		add(fmt.Sprintf("label mass perhaps below %v", k.Floor), k.Model, k.Open)
	}
	if lost := k.Answers - k.Known; lost > 0 && k.Known > 0 {
		add("label mass not known", k.Model, lost)
	}
}

// massColumns are those of the table of models, where it has classifications.
func massColumns(list []place) []column[modelRow] {
	floor := -1.0
	for _, p := range list {
		for _, g := range p.d.Diagnostics {
			if g.LabelMass != nil && floor < 0 {
				floor = g.LabelMass.Floor
			}
		}
	}
	if floor < 0 {
		return nil
	}
	shown := func(head string, of func(k *result.LabelMass) table.Cell) column[modelRow] {
		return cells(table.Words(head), nil, func(x modelRow) table.Cell {
			g := x.diagnostics()
			switch {
			case g == nil || g.LabelMass == nil:
				return table.Of(table.Num(table.Exactly(math.NaN(), 2)))
			case g.LabelMass.Known == 0:
				return table.Of(table.Plain("unknown"))
			}
			return of(g.LabelMass)
		}, alignRight)
	}
	value := func(field string, known bool, v func(k *result.LabelMass) float64) column[modelRow] {
		return hidden("label_mass_"+field, func(x modelRow) table.Part {
			g := x.diagnostics()
			if g == nil || g.LabelMass == nil || known && g.LabelMass.Known == 0 {
				return table.Num(table.Exactly(math.NaN(), 2))
			}
			return count(v(g.LabelMass))
		})
	}
	share := func(k *result.LabelMass, n int) table.Number {
		return table.Exactly(float64(n)/float64(k.Known), 1).AsPercent()
	}
	return []column[modelRow]{
		shown("Label mass", func(k *result.LabelMass) table.Cell {
			return between(table.Exactly(k.Low, 3), table.Exactly(k.High, 3))
		}),
		shown(fmt.Sprintf("Below %v (%%)", floor), func(k *result.LabelMass) table.Cell {
			return between(share(k, k.Below), share(k, k.Below+k.Open))
		}),
		value("low", true, func(k *result.LabelMass) float64 { return k.Low }),
		value("high", true, func(k *result.LabelMass) float64 { return k.High }),
		value("known", false, func(k *result.LabelMass) float64 { return float64(k.Known) }),
		value("floor", false, func(k *result.LabelMass) float64 { return k.Floor }),
		value("below", true, func(k *result.LabelMass) float64 { return float64(k.Below) }),
		value("open", true, func(k *result.LabelMass) float64 { return float64(k.Open) }),
	}
}

// between is one number, or two bounds of one.
func between(low, high table.Number) table.Cell {
	if low.Value == high.Value || low.String() == high.String() {
		return table.Of(table.Num(low))
	}
	return table.Of(table.Num(low), table.Plain(" to "), table.Num(high))
}
