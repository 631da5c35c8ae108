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
func massColumns(c *result.Cascade) []table.Column {
	for _, d := range c.Datasets {
		for _, g := range d.Diagnostics {
			if k := g.LabelMass; k != nil {
				return []table.Column{
					{Head: table.Words("Label mass"), Align: table.Right},
					{Head: table.Words(fmt.Sprintf("Below %v (%%)", k.Floor)), Align: table.Right},
					{Head: table.Words("Label mass, low"), Fields: []string{"label_mass_low"}, Exact: true, DataOnly: true},
					{Head: table.Words("Label mass, high"), Fields: []string{"label_mass_high"}, Exact: true, DataOnly: true},
					{Head: table.Words("Label mass, known"), Fields: []string{"label_mass_known"}, Exact: true, DataOnly: true},
					{Head: table.Words("Label mass, floor"), Fields: []string{"label_mass_floor"}, Exact: true, DataOnly: true},
					{Head: table.Words("Label mass, below"), Fields: []string{"label_mass_below"}, Exact: true, DataOnly: true},
					{Head: table.Words("Label mass, perhaps below"), Fields: []string{"label_mass_open"}, Exact: true, DataOnly: true},
				}
			}
		}
	}
	return nil
}

// massCells are the cells of one model; k is nil where nothing is known of it.
func massCells(k *result.LabelMass) []table.Cell {
	undefined := table.Of(table.Num(table.Exactly(math.NaN(), 2)))
	cells := []table.Cell{undefined, undefined, undefined, undefined, undefined, undefined, undefined, undefined}
	if k == nil {
		return cells
	}
	cells[4], cells[5] = table.Of(count(float64(k.Known))), table.Of(table.Num(table.Exactly(k.Floor, 2)))
	if k.Known == 0 {
		cells[0], cells[1] = table.Of(table.Plain("unknown")), table.Of(table.Plain("unknown"))
		return cells
	}
	share := func(n int) table.Number { return table.Exactly(float64(n)/float64(k.Known), 1).AsPercent() }
	cells[0] = between(table.Exactly(k.Low, 3), table.Exactly(k.High, 3))
	cells[1] = between(share(k.Below), share(k.Below+k.Open))
	cells[2], cells[3] = table.Of(table.Num(table.Exactly(k.Low, 3))), table.Of(table.Num(table.Exactly(k.High, 3)))
	cells[6], cells[7] = table.Of(count(float64(k.Below))), table.Of(count(float64(k.Open)))
	return cells
}

// between is one number, or two bounds of one.
func between(low, high table.Number) table.Cell {
	if low.Value == high.Value || low.String() == high.String() {
		return table.Of(table.Num(low))
	}
	return table.Of(table.Num(low), table.Plain(" to "), table.Num(high))
}
