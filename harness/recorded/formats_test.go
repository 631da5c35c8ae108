package recorded_test

import (
	"archive/zip"
	"bytes"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/backends"
	"infnet/harness/recorded"
)

var wanted = recorded.Facts{Wanted: true}

// Each format as its owner's code writes it (testdata/make_formats.md): the small model is right on the sums of
// numbers that 3 does not divide, 8 of 12; expected by hand.
func TestFormats(t *testing.T) {
	for _, test := range []struct {
		file   string
		format recorded.Format
		first  recorded.Row // what is compared of the second row: ids, model, question, counts
		sure   bool
	}{
		{file: "small.eval", format: recorded.Inspect, sure: true,
			first: recorded.Row{ID: "q1", Model: "mockllm/small", Task: "sums", Text: "2", Question: "What is 1 + 1?",
				Usage: backends.Usage{Prompt: backends.Counted(31), Completion: backends.Counted(2), Cached: 10}}},
		{file: "lm-eval-small.jsonl", format: recorded.LMEval,
			first: recorded.Row{ID: "1", Text: "2", Question: "What is 1 + 1?"}},
	} {
		t.Run(test.file, func(t *testing.T) {
			o := recorded.Options{Path: "testdata/" + test.file, Facts: wanted}
			if got, err := recorded.Detect(o); got != test.format {
				t.Fatalf("format %q, %v; want %q", got, err, test.format)
			}
			var rows []recorded.Row
			err := recorded.Each(t.Context(), o, func(r recorded.Row) error {
				rows = append(rows, r)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			right := 0.0
			for _, r := range rows {
				if r.Grade == nil {
					t.Fatalf("%s: no grade", r.Place)
				}
				right += *r.Grade
			}
			if len(rows) != 12 || right != 8 {
				t.Errorf("%v right of %d, want 8 of 12", right, len(rows))
			}
			var got recorded.Row
			for _, r := range rows {
				if r.ID == test.first.ID {
					got = r
				}
			}
			want := test.first
			if got.Model != want.Model || got.Task != want.Task || got.Text != want.Text || got.Question != want.Question ||
				got.Usage != want.Usage || len(got.References) != 1 || got.References[0] != "2" {
				t.Errorf("%+v, want %+v", got, want)
			}
			if sure := len(got.Tokens) > 0 || got.Confidence != nil; sure != test.sure {
				t.Errorf("a confidence: %v, want %v", sure, test.sure)
			}
		})
	}
}

// pack makes a zip archive of names and texts.
func pack(t *testing.T, entries ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		f, err := w.Create(entries[i])
		if err == nil {
			_, err = f.Write([]byte(entries[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Files that hold something else, or more than they should, are refused with what to do.
func TestHostileFiles(t *testing.T) {
	const header = `{"eval": {"model": "m", "task": "t"}}`
	sample := `{"id": 1, "epoch": 1, "output": {"completion": "x"}, "scores": {"a": {"value": "C"}}}`
	for _, test := range []struct{ name, file, text, want string }{
		{"a pickle of protocol 4", "a.jsonl", "\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00]\x94.", "never read here"},
		{"a pickle of protocol 0", "a.csv", "(dp0\nS'a'\np1\ns.", "read_pickle"},
		{"a pickle by name", "a.pkl", "anything", "a Python pickle"},
		{"an archive with a pickle", "a.eval", pack(t, "archive/data.pkl", "x"), "a Python pickle"},
		{"a zip bomb", "a.eval", pack(t, "header.json", header,
			"samples/1_epoch_1.json", `{"id": 1, "x": "`+strings.Repeat("a", 65<<20)+`"}`), "unpacks to more than"},
		{"half a log", "a.json", `{"eval": {}, "samples": [` + sample + `, {"id": 2`, "breaks off"},
		{"several scorers", "a.json", `{"eval": {}, "samples": [` + strings.Replace(sample, `"a": {`, `"b": {"value": 1}, "a": {`,
			1) + `]}`, "inspect score --scorer NAME"},
		{"a grade that is none", "a.json", `{"eval": {}, "samples": [` + strings.Replace(sample, `"C"`, `{"a": 1}`, 1) + `]}`,
			"sample 1: the scorer \"a\" says"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := rowsOf(t, recorded.Options{Path: test.file, Facts: wanted,
				FS: fstest.MapFS{test.file: {Data: []byte(test.text)}}})
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), test.file) {
				t.Errorf("error %v, want one with %q and the file", err, test.want)
			}
		})
	}
}

// Logs of Inspect that are odd: what no answer needs does no harm, and what one needs is said with its sample.
func TestOddInspectLogs(t *testing.T) {
	const header = `{"eval": {"model": "o/m", "task": "t"}, "stats": {"x": NaN}}`
	sample := func(id, more string) string {
		return `{"id": "` + id + `", "epoch": 1, "input": "NaN \" Infinity", "output": {"completion": "x"}` + more + `}`
	}
	graded := `, "scores": {"match": {"value": 1}}`
	whole := pack(t, "header.json", header, "samples/a_epoch_1.json", sample("a", graded))
	for _, tt := range []struct {
		name string
		data string
		want string // of the error; "" = one answer
	}{
		{name: "NaN where nothing is read", data: pack(t, "header.json", header, "samples/a_epoch_1.json",
			sample("a", graded+`, "metadata": {"loss": NaN, "high": Infinity, "low": -Infinity, "n": -1}`))},
		{name: "a grade that is NaN", data: pack(t, "header.json", header, "samples/a_epoch_1.json",
			sample("a", `, "scores": {"match": {"value": NaN}}`)),
			want: `samples/a_epoch_1.json: the scorer "match" says "NaN", which is no grade`},
		{name: "a log-probability that is minus infinity", data: pack(t, "header.json", header, "samples/a_epoch_1.json",
			strings.Replace(sample("a", graded), `"x"}`, `"x", "choices": [{"logprobs": {"content": [{"token": "x",
			"logprob": -Infinity}]}}]}`, 1)), want: "a_epoch_1.json: token 1 has no log-probability"},
		{name: "a time that is infinite", data: pack(t, "header.json", header, "samples/a_epoch_1.json",
			strings.Replace(sample("a", graded), `"x"}`, `"x", "time": Infinity}`, 1)),
			want: `samples/a_epoch_1.json: column "latency": +Inf is no time`},
		{name: "a sample that breaks off", data: pack(t, "header.json", header, "samples/a_epoch_1.json",
			sample("a", graded)[:20]), want: "samples/a_epoch_1.json"},
		{name: "a later epoch", data: pack(t, "header.json", header, "samples/a_epoch_1.json", sample("a", graded),
			"samples/a_epoch_2.json", strings.Replace(sample("a", graded), `"epoch": 1`, `"epoch": 2`, 1))},
		{name: "no samples", data: pack(t, "header.json", header),
			want: "no Inspect log: its archive has 0 files samples/"},
		{name: "names that lead elsewhere", data: pack(t, "../samples/a_epoch_1.json", sample("a", graded)),
			want: "no Inspect log"},
		{name: "cut short", data: whole[:len(whole)-30], want: "cut short or damaged: fetch it again"},
		{name: "nothing", data: "", want: "it has no byte"},
		{name: "JSON with NaN", data: (`{"eval": {"model": "o/m", "task": "t", "x": NaN}, "samples": [` +
			sample("a", graded+`, "store": {"x": -Infinity}`) + `]}`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows, err := rowsOf(t, recorded.Options{Path: "a.eval", FS: fstest.MapFS{"a.eval": {Data: []byte(tt.data)}},
				Facts: wanted})
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%v, want %q", err, tt.want)
				}
				return
			}
			if err != nil || len(rows) != 1 || rows[0].Grade == nil || *rows[0].Grade != 1 {
				t.Fatalf("%+v, %v", rows, err)
			}
			if rows[0].Model != "o/m" && tt.name != "names that lead elsewhere" {
				t.Errorf("the model is %q", rows[0].Model)
			}
		})
	}
}

// A file with the answers of several models gives those of the one that is named.
func TestAnswersOf(t *testing.T) {
	const text = "id,model,text\n1,a,x\n1,b,y\n2,a,z\n"
	log := fstest.MapFS{"t.csv": {Data: []byte(text)}}
	rows, err := rowsOf(t, recorded.Options{Path: "t.csv", FS: log, Of: "a"})
	if err != nil || len(rows) != 2 || rows[1].Text != "z" {
		t.Errorf("%+v, %v; want x and z", rows, err)
	}
	if _, err := rowsOf(t, recorded.Options{Path: "t.csv", FS: log, Of: "c"}); err == nil ||
		!strings.Contains(err.Error(), `there are ["a" "b"]`) {
		t.Errorf("%v, want the names of those that are there", err)
	}
}

// Whatever a file of each format holds, reading it ends in answers that can be used or in an error.
func FuzzFormats(f *testing.F) {
	for _, name := range []string{"small.eval", "lm-eval-small.jsonl", "inspect.json"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		if len(text) > 30_000 {
			text = text[:30_000]
		}
		f.Add("a"+name[strings.LastIndexByte(name, '.'):], text)
	}
	for _, text := range []string{`{"id":"a","label":"1","probs":{"0":0.5,"1":0.5},"confidence":"0.5"}`,
		`{"doc_id":0,"filtered_resps":[["-1","True"],[-2,false]],"arguments":[["a","b"],["a","c"]]}`} {
		f.Add("a.jsonl", []byte(text))
	}
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		switch name {
		case "a.eval", "a.jsonl", "a.json", "a.csv":
		default:
			return
		}
		n := 0
		choice := backends.Request{Prompt: "p", Labels: []string{" negative", " positive"}}
		free := backends.Request{Prompt: "p", MaxTokens: 4}
		err := recorded.Each(t.Context(), recorded.Options{Path: name, FS: fstest.MapFS{name: {Data: text}}, Facts: wanted},
			func(r recorded.Row) error {
				n++
				if r.ID == "" || r.Place == "" {
					t.Fatalf("an answer without id or place: %+v", r)
				}
				if got, err := r.To(choice, sentiment); err == nil && got.Failure == nil && backends.Check(choice, got) != nil {
					t.Errorf("%+v: %v", r, backends.Check(choice, got))
				}
				if got, err := r.To(free, nil); err == nil && got.Failure == nil && backends.Check(free, got) != nil {
					t.Errorf("%+v: %v", r, backends.Check(free, got))
				}
				if g := r.Grade; g != nil && !(*g >= 0 && *g <= 1) {
					t.Fatalf("grade %v", *g)
				}
				if c := r.Cost; c != nil && !(c.Amount >= 0) {
					t.Fatalf("cost %v", *c)
				}
				return nil
			})
		if err == nil && n == 0 {
			t.Fatal("neither an answer nor an error")
		}
	})
}
