package recorded

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"infnet/backends"
)

func rowsOf(t *testing.T, o Options) (rows []Row, err error) {
	t.Helper()
	err = One(t.Context(), o, func(r Row) error { rows = append(rows, r); return nil })
	return rows, err
}

// packed is an archive of the named texts.
func packed(t *testing.T, entries ...string) []byte {
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
	return b.Bytes()
}

// Logs of Inspect that are odd: what no answer needs does no harm, and what one needs is said with its sample.
func TestOddInspectLogs(t *testing.T) {
	const header = `{"eval": {"model": "o/m", "task": "t"}, "stats": {"x": NaN}}`
	sample := func(id, more string) string {
		return `{"id": "` + id + `", "epoch": 1, "input": "NaN \" Infinity", "output": {"completion": "x"}` + more + `}`
	}
	graded := `, "scores": {"match": {"value": 1}}`
	whole := packed(t, "header.json", header, "samples/a_epoch_1.json", sample("a", graded))
	for _, tt := range []struct {
		name string
		data []byte
		want string // of the error; "" = one answer
	}{
		{name: "NaN where nothing is read", data: packed(t, "header.json", header, "samples/a_epoch_1.json",
			sample("a", graded+`, "metadata": {"loss": NaN, "high": Infinity, "low": -Infinity, "n": -1}`))},
		{name: "a grade that is NaN", data: packed(t, "header.json", header, "samples/a_epoch_1.json",
			sample("a", `, "scores": {"match": {"value": NaN}}`)),
			want: `samples/a_epoch_1.json: the scorer "match" says "NaN", which is no grade`},
		{name: "a log-probability that is minus infinity", data: packed(t, "header.json", header, "samples/a_epoch_1.json",
			strings.Replace(sample("a", graded), `"x"}`, `"x", "choices": [{"logprobs": {"content": [{"token": "x",
			"logprob": -Infinity}]}}]}`, 1)), want: "a_epoch_1.json: token 1 has no log-probability"},
		{name: "a time that is infinite", data: packed(t, "header.json", header, "samples/a_epoch_1.json",
			strings.Replace(sample("a", graded), `"x"}`, `"x", "time": Infinity}`, 1)),
			want: `samples/a_epoch_1.json: column "latency": +Inf is no time`},
		{name: "a sample that breaks off", data: packed(t, "header.json", header, "samples/a_epoch_1.json",
			sample("a", graded)[:20]), want: "samples/a_epoch_1.json"},
		{name: "a later epoch", data: packed(t, "header.json", header, "samples/a_epoch_1.json", sample("a", graded),
			"samples/a_epoch_2.json", strings.Replace(sample("a", graded), `"epoch": 1`, `"epoch": 2`, 1))},
		{name: "no samples", data: packed(t, "header.json", header),
			want: "no Inspect log: its archive has 0 files samples/"},
		{name: "names that lead elsewhere", data: packed(t, "../samples/a_epoch_1.json", sample("a", graded)),
			want: "no Inspect log"},
		{name: "cut short", data: whole[:len(whole)-30], want: "cut short or damaged: fetch it again"},
		{name: "nothing", data: nil, want: "it has no byte"},
		{name: "samples before the header", data: []byte(`{"samples": [` + sample("a", graded) + `], "eval": {"model":
			"o/m", "task": "t"}}`)},
		{name: "JSON with NaN", data: []byte(`{"eval": {"model": "o/m", "task": "t", "x": NaN}, "samples": [` +
			sample("a", graded+`, "store": {"x": -Infinity}`) + `]}`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			format := backends.AnswersInspect
			if tt.data == nil {
				format = backends.AnswersAuto
			}
			rows, err := rowsOf(t, Options{Path: "a.eval", FS: fstest.MapFS{"a.eval": {Data: tt.data}}, Format: format,
				Facts: Facts{Wanted: true}})
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

// A result of LLMRouterBench is read whatever the order of its keys.
func TestRouterBenchInAnyOrder(t *testing.T) {
	const records = `"records": [{"index": 1, "origin_query": "q", "prediction": "p", "score": 1.0, "cost": 0.5}]`
	for _, text := range []string{
		`{"model_name": "m", "dataset_name": "d", "split": "test", ` + records + `}`,
		`{` + records + `, "model_name": "m", "dataset_name": "d", "split": "test"}`,
		`{"split": "test", "dataset_name": "d", ` + records + `, "performance": NaN, "model_name": "m"}`,
	} {
		rows, err := rowsOf(t, Options{Path: "a.json", FS: fstest.MapFS{"a.json": {Data: []byte(text)}},
			Facts: Facts{Wanted: true}})
		if err != nil || len(rows) != 1 || rows[0].Model != "m" || rows[0].Task != "d" || rows[0].Part != "test" ||
			*rows[0].Grade != 1 {
			t.Errorf("%s: %+v, %v", text, rows, err)
		}
	}
}

// What is no number becomes a text, and nothing else changes, however the input is cut up.
func TestFinite(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"a": NaN, "b": [Infinity, -Infinity, -1, 1e-5]}`, `{"a": "NaN", "b": ["Infinity", "-Infinity", -1, 1e-5]}`},
		{`{"NaN": "say \"NaN\" \\", "Infinity": NaN}`, `{"NaN": "say \"NaN\" \\", "Infinity": "NaN"}`},
		{`[null, true, -Inf, Na`, `[null, true, -Inf, Na`},
		{``, ``},
	} {
		for name, in := range map[string]io.Reader{"whole": strings.NewReader(tt.in),
			"by bytes": iotest.OneByteReader(strings.NewReader(tt.in))} {
			got, err := io.ReadAll(newFinite(in))
			if err != nil || string(got) != tt.want {
				t.Errorf("%s, %s: %s %v, want %s", tt.in, name, got, err, tt.want)
			}
		}
	}
}

// Valid JSON passes unchanged.
func FuzzFinite(f *testing.F) {
	f.Add([]byte(`{"a": "NaN", "b": [-1, "I\\"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := io.ReadAll(newFinite(bytes.NewReader(data)))
		if err != nil || json.Valid(data) && !slices.Equal(got, data) {
			t.Errorf("%q became %q, %v", data, got, err)
		}
	})
}
