package importer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infnet/harness/importer"
)

// instanceLines are instances of one evaluation, right on every second question.
func instanceLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"schema_version":"0.3.0","evaluation_id":"e","model_id":"org/m","evaluation_name":"sums",`+
			`"sample_id":"q%d","interaction_type":"single_turn","input":{"raw":"%d","reference":[]},`+
			`"output":{"raw":["x"]},"answer_attribution":[],"evaluation":{"score":%d,"is_correct":%v}}`+"\n", i, i, i%2,
			i%2 == 1)
	}
	return b.String()
}

// An aggregate stands for its instances, beside it.
func TestAggregates(t *testing.T) {
	lines := instanceLines(4)
	const samples = "data/sums/org/m/00000000-0000-4000-8000-000000000000_samples.jsonl"
	const log = `{"schema_version":"0.3.0","eval_library":{},"evaluation_results":[],"detailed_evaluation_results":{
"file_path":"` + samples + `"}}`
	for _, tt := range []struct {
		name, log, want string
		away            bool // the instances are elsewhere
		twice           bool // the instances are named too
	}{
		{name: "as it says", log: log},
		{name: "both are named", log: log, twice: true},
		{name: "elsewhere", log: log, away: true, want: "_samples.jsonl"},
		{name: "an older version", log: strings.Replace(log, "0.3.0", "0.2.1", 1), want: `a.json: an aggregate of Every Eval ` +
			`Ever, version "0.2.1"`},
		{name: "no instances", want: "a.json: an aggregate of Every Eval Ever without instances",
			log: `{"schema_version":"0.3.0","eval_library":{},"evaluation_results":[]}`},
		{name: "not the schema", want: "a.json: an aggregate of Every Eval Ever that does not follow its schema",
			log: `{"eval_library":{},"evaluation_results":[],"schema_version":3}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			beside := filepath.Join(dir, filepath.Base(samples))
			if !tt.away {
				write(t, beside, lines)
			}
			files := []string{filepath.Join(dir, "a.json")}
			write(t, files[0], tt.log)
			if tt.twice {
				files = append([]string{beside}, files...)
			}
			found, err := importer.Import(t.Context(), importer.Options{Name: "s", Files: files},
				func([]byte) error { return nil })
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Fatalf("%v, want %q", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(found.Models) != 1 || found.Models[0].Rows != 4 || found.Models[0].Right != 2 {
				t.Errorf("%+v", found.Models[0])
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
