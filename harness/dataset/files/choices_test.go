package files

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/harness/dataset"
	"infnet/harness/seed"
)

// choicesOf loads rows of JSON that are multiple choices.
func choicesOf(t *testing.T, rows string, o Options) (*dataset.Set, error) {
	t.Helper()
	o.Path, o.FS = "q.jsonl", fstest.MapFS{"q.jsonl": {Data: []byte(rows)}}
	o.Mapping.Fields = map[string]string{"q": "q"}
	return Load(context.Background(), o)
}

// Rows as the hub's datasets write them: MMLU (a number), MMLU-Pro (a letter), ARC and CommonsenseQA (names beside the
// texts), GPQA (columns, the first is right).
func TestChoices(t *testing.T) {
	for name, c := range map[string]struct {
		row     string
		options []string
		refs    string
		want    string // the reference
		fields  string
		fault   string
	}{
		"a number": {row: `{"q":"?","choices":["x","y","z"],"answer":2}`, options: []string{"choices"}, refs: "answer",
			want: "C. z", fields: "A. x\nB. y\nC. z"},
		"a letter": {row: `{"q":"?","choices":["x","y"],"answer":"B"}`, options: []string{"choices"}, refs: "answer",
			want: "B. y", fields: "A. x\nB. y"},
		"names": {row: `{"q":"?","choices":{"text":["x","y"],"label":["1","2"]},"answerKey":"2"}`,
			options: []string{"choices.text"}, refs: "answerKey", want: "B. y", fields: "A. x\nB. y"},
		"columns": {row: `{"q":"?","right":"x","wrong 1":"y","wrong 2":"z","wrong 3":""}`,
			options: []string{"right", "wrong 1", "wrong 2", "wrong 3"}, refs: "right", want: "A. x",
			fields: "A. x\nB. y\nC. z"},
		"a digit as a text": {row: `{"q":"?","choices":["x","y"],"answer":"1"}`, options: []string{"choices"}, refs: "answer",
			fault: `"1" is none of the 2 options`},
		"a letter that is a text": {row: `{"q":"Which vitamin?","choices":["B","C"],"answer":"B"}`,
			options: []string{"choices"}, refs: "answer", fault: `"B" is more than one of the 2 options`},
		"too large": {row: `{"q":"?","choices":["x","y"],"answer":2}`, options: []string{"choices"}, refs: "answer",
			fault: `"2" is none of the 2 options`},
		"one option": {row: `{"q":"?","choices":["x"],"answer":0}`, options: []string{"choices"}, refs: "answer",
			fault: "has 1 options: want 2 to 26"},
		"an empty option": {row: `{"q":"?","choices":["x",""],"answer":0}`, options: []string{"choices"}, refs: "answer",
			fault: "option 2 is empty"},
	} {
		set, err := choicesOf(t, c.row, Options{Mapping: Mapping{Options: c.options, References: c.refs}})
		switch {
		case c.fault != "":
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: %v, want %q", name, err, c.fault)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		default:
			e := set.Examples[0]
			if !slices.Equal(e.References, []string{c.want}) || e.Fields[OptionsField] != c.fields {
				t.Errorf("%s: reference %q, options %q", name, e.References, e.Fields[OptionsField])
			}
		}
	}
}

// Whatever the order, the reference is the letter of the right text; a class is that letter's; a copy of a row has the
// order of the row; over many questions every option comes first about as often.
func TestShuffledChoices(t *testing.T) {
	var rows strings.Builder
	for i := range 400 {
		rows.WriteString(`{"q":"` + strings.Repeat("?", i+1) + `","o":["w","x","y","z"],"a":"x"}` + "\n")
	}
	rows.WriteString(`{"q":"?","o":["w","x","y","z"],"a":"x"}` + "\n")
	rank := func(texts []string) (out []uint64) {
		h := seed.Hasher(7, texts...)
		for _, t := range texts {
			out = append(out, h(t))
		}
		return out
	}
	o := Options{Mapping: Mapping{Options: []string{"o"}, References: "a"}, OptionRank: rank}
	set, err := choicesOf(t, rows.String(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.Mapping.References, o.Mapping.Class = "", "a"
	o.Labels = []dataset.Label{{Class: "A"}, {Class: "B"}, {Class: "C"}, {Class: "D"}}
	classes, err := choicesOf(t, rows.String(), o)
	if err != nil {
		t.Fatal(err)
	}
	first := map[string]int{}
	for i, e := range set.Examples {
		shown := strings.Split(e.Fields[OptionsField], "\n")
		if len(e.References) != 1 || !strings.HasSuffix(e.References[0], ". x") || !slices.Contains(shown, e.References[0]) {
			t.Fatalf("reference %q of %q", e.References, shown)
		}
		if k := classes.Examples[i].Class; shown[k] != e.References[0] {
			t.Fatalf("class %d of %q, whose reference is %q", k, shown, e.References)
		}
		first[shown[0][3:]]++
	}
	for text, n := range first {
		if n < 60 || n > 140 { // 400 questions, 4 options: 100, standard deviation 8.7
			t.Errorf("%s comes first %d times", text, n)
		}
	}
	if a, b := set.Examples[0], set.Examples[400]; a.Fields[OptionsField] != b.Fields[OptionsField] {
		t.Errorf("a copy of a row has %q, the row %q", b.Fields[OptionsField], a.Fields[OptionsField])
	}
}
