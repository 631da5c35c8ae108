package importer_test

import (
	"crypto/sha256"
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

// An aggregate stands for its instances, which are those that it describes, beside it.
func TestAggregates(t *testing.T) {
	lines := instanceLines(4)
	const samples = "data/sums/org/m/00000000-0000-4000-8000-000000000000_samples.jsonl"
	log := func(sum, more string) string {
		return fmt.Sprintf(`{"schema_version":"0.3.0","evaluation_id":"e","retrieved_timestamp":"1","source_metadata":{},
"eval_library":{"name":"x","version":"1"},"model_info":{"name":"m","id":"org/m"},"evaluation_results":[{
"evaluation_name":"sums","metric_config":{"lower_is_better":false,"min_score":0,"max_score":1},"score_details":{"score":0.5}}],
"detailed_evaluation_results":{"format":"jsonl","file_path":%q,"hash_algorithm":"sha256","checksum":%q%s}}`, samples, sum,
			more)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(lines)))
	for _, tt := range []struct {
		name, log, want, remark string
		away                    bool // the instances are elsewhere
		twice                   bool // the instances are named too
	}{
		{name: "as it says", log: log(sum, `,"total_rows":4`)},
		{name: "both are named", log: log(sum, ""), twice: true},
		{name: "other rows", log: log(sum, `,"total_rows":5`), remark: "says that there are 5 instances"},
		{name: "another score", log: strings.Replace(log(sum, ""), `"score":0.5`, `"score":0.75`, 1),
			remark: "says that the score is 0.75, and the mean of its 4 instances is 0.5"},
		{name: "a score without an upper bound", log: strings.NewReplacer(`"score":0.5`, `"score":75`, `"max_score":1`,
			`"max_score":"Infinity"`).Replace(log(sum, ""))},
		{name: "lower is better", log: strings.Replace(log(sum, ""), "false", "true", 1), remark: "a lower score is better"},
		{name: "changed since", log: log(strings.Repeat("0", 64), ""), want: "are others than it describes"},
		{name: "elsewhere", log: log(sum, ""), away: true, want: "samples.jsonl, are not beside it"},
		{name: "an older version", log: strings.Replace(log(sum, ""), "0.3.0", "0.2.1", 1), want: `version "0.2.1"`},
		{name: "no instances", want: "without instances", log: `{"schema_version":"0.3.0","eval_library":{},
"evaluation_results":[]}`},
		{name: "not the schema", want: "does not follow its schema", log: `{"schema_version":3,"eval_library":{},
"evaluation_results":[]}`},
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
				if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "a.json") {
					t.Fatalf("%v, want the file and %q", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(found.Aggregates) != 1 || len(found.Models) != 1 || found.Models[0].Rows != 4 || found.Models[0].Right != 2 {
				t.Errorf("%+v of %+v", found.Aggregates, found.Models[0])
			}
			all := strings.Join(found.Remarks, "\n")
			if !strings.Contains(all, tt.remark) || tt.remark == "" && strings.Contains(all, "a.json says") {
				t.Errorf("remarks %q, want %q", all, tt.remark)
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
