package reports

import (
	"bytes"
	"strings"
	"testing"

	"infnet/harness/result"
)

// What tables say of every kind of knowledge of the mass.
func TestMassNote(t *testing.T) {
	for _, tc := range []struct {
		name string
		list []result.LabelMass
		want string
	}{
		{"enough", []result.LabelMass{{Model: "a", Answers: 40, Known: 40, Low: 0.9, High: 0.9, Floor: 0.5}}, ""},
		{"not known", []result.LabelMass{{Model: "a", Answers: 40, Floor: 0.5}}, ""},
		{"little", []result.LabelMass{{Model: "a", Answers: 40, Known: 40, Floor: 0.5, Below: 3}},
			"3 of 40 classifications of a put less than 0.5 of the probability on the labels: their confidence speaks of the " +
				"labels alone."},
		{"perhaps little", []result.LabelMass{{Model: "a", Answers: 1, Known: 1, Floor: 0.25, Open: 1}},
			"1 of 1 classification of a may put less than 0.25 of the probability on the labels, which the server only " +
				"bounds: their confidence speaks of the labels alone."},
		{"two models", []result.LabelMass{{Model: "a", Answers: 40, Known: 30, Floor: 0.5, Below: 3, Open: 2},
			{Model: "b", Answers: 40, Known: 40, Floor: 0.5, Below: 40}},
			"3 of 40 classifications of a put less than 0.5 of the probability on the labels, and 2 more may; 40 of 40 " +
				"classifications of b put less than 0.5 of the probability on the labels: their confidence speaks of the " +
				"labels alone."},
	} {
		if got := massNote(tc.list); got != tc.want {
			t.Errorf("%s: %s\nwant %s", tc.name, got, tc.want)
		}
	}
}

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
	q := models(&result.Results{Name: "s", Level: 0.95, Cascades: []result.Cascade{*c}})
	var text, csv bytes.Buffer
	if err := q.Markdown(&text); err != nil {
		t.Fatal(err)
	}
	if err := q.CSV(&csv); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| Label mass | Below 0.5 (%) |", "| 0.988 | 2.5 |", "| 0.250 to 0.750 | 25.0 to 75.0 |",
		"| unknown | unknown |"} {
		if !strings.Contains(strings.Join(strings.Fields(text.String()), " "), want) {
			t.Errorf("the table lacks %q:\n%s", want, &text)
		}
	}
	for _, want := range []string{
		"label_mass_low,label_mass_high,label_mass_known,label_mass_floor,label_mass_below,label_mass_open",
		",0.98765,0.98765,40,0.5,1,0,", ",0.25,0.75,20,0.5,5,10,", ",,,0,0.5,,,",
	} {
		if !strings.Contains(csv.String(), want) {
			t.Errorf("the file lacks %q:\n%s", want, &csv)
		}
	}
}
