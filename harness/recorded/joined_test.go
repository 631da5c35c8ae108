package recorded_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/recorded"
	"infnet/harness/task"
)

// Answers are joined to records by id; what does not fit is refused or said.
func TestJoin(t *testing.T) {
	request := func(i int) backends.Request { return backends.Request{Prompt: fmt.Sprint(i), MaxTokens: 4} }
	for _, tt := range []struct {
		name, file   string
		change       func(*recorded.Asked)
		error, warns string
	}{
		{name: "every record", file: `{"id":"a","text":"x","correct":1}` + "\n" + `{"id":"b","text":"y","correct":0}`},
		{name: "said twice", file: `{"id":"a","text":"x","correct":1}` + "\n" + `{"id":"a","text":"y","correct":1}`,
			error: `a.jsonl: line 1 and line 2 both answer the record "a"`},
		{name: "another's", file: `{"id":"c","text":"x","correct":1}`, error: "none of its 1 ids (such as \"c\")"},
		{name: "a record without", file: `{"id":"a","text":"x","correct":1}`, warns: "records have no recorded answer"},
		{name: "too many", file: `{"id":"a","text":"x","correct":1}` + "\n" + `{"id":"b","text":"y","correct":0}` + "\n" +
			`{"id":"c","text":"y","correct":0}`, warns: "belong to no record"},
		{name: "a score", file: `{"id":"a","text":"x","score":0.5}`, error: "the score 0.5 is neither 0 nor 1"},
		{name: "a score, and from which it is right", file: `{"id":"a","text":"x","score":0.5}` + "\n" +
			`{"id":"b","text":"x","score":1}`, change: func(a *recorded.Asked) { a.Tau = 0.5 }},
		{name: "no grade", file: `{"id":"a","text":"x"}`, error: "no answer has a grade"},
		{name: "no confidence", file: `{"id":"a","text":"x","correct":1}`,
			change: func(a *recorded.Asked) { a.Defers = true }, error: "no answer has a confidence"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := recorded.Asked{Name: "d", Source: "d.jsonl", IDColumn: "id", Rule: task.Recorded, Request: request,
				Examples: []dataset.Example{{ID: "a", Row: 1}, {ID: "b", Row: 2}}}
			if tt.change != nil {
				tt.change(&asked)
			}
			files := fstest.MapFS{"a.jsonl": {Data: []byte(tt.file)}}
			var warned strings.Builder
			tape, err := recorded.Join(t.Context(), recorded.Options{Path: "a.jsonl", FS: files, Facts: wanted},
				[]recorded.Asked{asked}, recorded.Needs{Warn: func(m string, _ ...any) { warned.WriteString(m) }})
			if tt.error != "" {
				if err == nil || !strings.Contains(err.Error(), tt.error) {
					t.Errorf("error %v, want %q", err, tt.error)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := tape.Served(request(0).Key()); !ok || !strings.Contains(warned.String(), tt.warns) ||
				tt.warns == "" && warned.Len() > 0 {
				t.Errorf("served %v, warned %q, want %q", ok, warned.String(), tt.warns)
			}
		})
	}
}

// Of a grade and a score the grade counts, unless a score is asked for.
func TestWhichGradeCounts(t *testing.T) {
	for prefer, want := range map[bool]float64{false: 1, true: 0.25} {
		row := mustRead(t, "a.jsonl", `{"id":"a","text":"x","correct":1,"score":0.25}`,
			recorded.Options{Facts: recorded.Facts{Wanted: true, PreferScore: prefer}})[0]
		if row.Grade == nil || *row.Grade != want {
			t.Errorf("score preferred: %v, grade %v, want %v", prefer, row.Grade, want)
		}
	}
}

// Answers to several datasets are told apart by their ids, and where an id is of two of them nothing is guessed.
func TestJoinsSeveralDatasets(t *testing.T) {
	for second, want := range map[string]string{"b": "", "a": `"a" is a record of the datasets one and two`} {
		var sets []recorded.Asked
		for k, id := range []string{"a", second} {
			name := []string{"one", "two"}[k]
			sets = append(sets, recorded.Asked{Name: name, Source: name, IDColumn: "id", Rule: task.Recorded,
				Request:  func(int) backends.Request { return backends.Request{Prompt: name, MaxTokens: 4} },
				Examples: []dataset.Example{{ID: id, Row: 1}}})
		}
		files := fstest.MapFS{"a.jsonl": {Data: []byte(`{"id":"a","text":"x","correct":1}` + "\n" +
			`{"id":"b","text":"y","correct":0}`)}}
		tape, err := recorded.Join(t.Context(), recorded.Options{Path: "a.jsonl", FS: files, Facts: wanted},
			sets, recorded.Needs{Warn: func(string, ...any) {}})
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for k := range sets {
			if n, ok := tape.Served(sets[k].Request(0).Key()); !ok || n != k {
				t.Errorf("dataset %s: answer %d, %t; want that of line %d", sets[k].Name, n, ok, k)
			}
		}
	}
}
