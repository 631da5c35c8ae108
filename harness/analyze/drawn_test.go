package analyze

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"infnet/backends"
	"infnet/backends/lexical"
	"infnet/backends/open"
	"infnet/backends/simulated"
	"infnet/harness/dataset"
	"infnet/harness/question"
	"infnet/harness/records"
	"infnet/harness/spec"
	"infnet/harness/store"
)

// drawnTOML is a study of simulated models on drawn records; task, models and
// the rest are filled in.
const drawnTOML = `
study = "drawn"
seed  = 3
cost  = { model = "tokens" }
%s

[[models]]
name      = "student"
backend   = "simulated"
simulated = { alpha = 2, beta = 1, %s }

[[models]]
name      = "master"
backend   = "simulated"
simulated = { alpha = 5, beta = 1, %s }

[[datasets]]
name   = "colours"
source = "file:colours.csv"
%s

[[cascades]]
models = ["student", "master"]
`

// drawn answers n records with the study's simulated models. What change says
// of record i (from 0) is done to its prompt's answer and its reference.
func drawn(t *testing.T, s *spec.Study, n int, change func(i int, e *dataset.Example)) Input {
	t.Helper()
	d := &s.Datasets[0]
	var examples []dataset.Example
	for i := range n {
		e := dataset.Example{ID: fmt.Sprint(i), Row: i + 1, Class: -1, Fields: map[string]string{"item": fmt.Sprint(i)}}
		if len(d.Labels) > 0 {
			e.Class = i % 3
			e.Fields["answer"] = d.Labels[e.Class].Word
		} else {
			e.Fields["answer"] = fmt.Sprintf("the cat number %d sat down on the big mat", i)
			e.References = []string{e.Fields["answer"]}
		}
		if change != nil {
			change(i, &e)
		}
		examples = append(examples, e)
	}
	in := emptyInput(t, s, examples)
	var texts []string
	for _, e := range examples {
		texts = append(texts, e.References...)
	}
	for _, m := range s.Models {
		in.Facts[m.Name] = records.Facts{ID: m.Config.Model}
		texts = append(texts, answer(t, in, &m, nil)...)
	}
	if question.Embeds(d) {
		embed(t, &in, texts)
	}
	return in
}

// answer stores a simulated model's answers, changed if asked, and returns their texts.
func answer(t *testing.T, in Input, m *spec.Model, change func(*backends.Answer)) (texts []string) {
	t.Helper()
	model, err := simulated.Open(m.Config)
	if err != nil {
		t.Fatal(err)
	}
	sheet := in.Sheets["colours"]
	var requests []backends.Request
	for i := range sheet.Len() {
		requests = append(requests, sheet.Request(i, m.Config.Model, m))
	}
	answers, err := model.Answer(context.Background(), requests)
	if err != nil {
		t.Fatal(err)
	}
	w, err := in.Store.WriteAnswers(store.ID{Model: m.Config.Model, Dataset: "0123", Name: "colours"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var records []store.Record
	for i, a := range answers {
		if a.Failure != nil {
			t.Fatal(a.Failure)
		}
		if change != nil {
			change(&a)
		}
		records = append(records, store.Record{Example: sheet.Set.Examples[i].ID, Answer: a})
		texts = append(texts, a.Text)
	}
	if _, err := w.Append(records); err != nil {
		t.Fatal(err)
	}
	return texts
}

// embedInputs stores the lexical vectors of the records' texts.
func embedInputs(t *testing.T, in *Input) {
	var inputs []string
	for i := range in.Sheets["colours"].Len() {
		inputs = append(inputs, in.Sheets["colours"].Input(i))
	}
	embed(t, in, inputs)
}

// embed stores the lexical vectors of the texts.
func embed(t *testing.T, in *Input, texts []string) {
	t.Helper()
	e, err := open.Embedder(backends.Config{Model: lexical.ID()})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	vectors, err := e.Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	var list []store.Vector
	for i, text := range texts {
		list = append(list, store.Vector{Of: text, Value: vectors[i]})
	}
	keepVectors(t, in, list)
}

func keepVectors(t *testing.T, in *Input, list []store.Vector) {
	w, err := in.Store.WriteVectors(lexical.ID())
	if err == nil {
		_, err = w.Append(list)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		in.Vectors, err = in.Store.Vectors(lexical.ID())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Vectors.Close() })
}
