package reports

import (
	"testing"

	"infnet/harness/result"
)

// The table of models shows a number, bounds, or that nothing is known; CSV
// files carry bounds and counts, and nothing where there is nothing.
func TestMassColumns(t *testing.T) {
	diagnostic := func(model string, m result.LabelMass) result.Diagnostic {
		m.Model, m.Floor = model, 0.5
		return result.Diagnostic{Model: model, Correct: at(0.5, 0.1, 40), AUROC: at(0.5, 0.1, 40), LabelMass: &m}
	}
	c := &result.Cascade{Name: "c", Models: []string{"a", "b", "d"},
		Datasets: []result.Dataset{{Name: "set", Diagnostics: []result.Diagnostic{
			diagnostic("a", result.LabelMass{Answers: 40, Known: 40, Low: 0.98765, High: 0.98765, Below: 1}),
			diagnostic("b", result.LabelMass{Answers: 40, Known: 20, Low: 0.25, High: 0.75, Below: 5, Open: 10}),
			diagnostic("d", result.LabelMass{Answers: 40}),
		}}}}
	md, csv := written(t, models(&result.Results{Name: "s", Level: 0.95, Cascades: []result.Cascade{*c}}))
	golden(t, "made/models.md", []byte(md+csv))
}
