package pipeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infnet/harness/pipeline"
	"infnet/harness/spec"
)

// asking is a study of the quickstart's models and a small encoder, whose student is asked further for its signals.
const asking = `
study = "asking"
seed  = 3

[[models]]
name    = "small"
backend = "local"
path    = "%[1]s/experiments/models/tiny-student"

[[models]]
name    = "large"
backend = "local"
path    = "%[1]s/experiments/models/tiny-master"

[[models]]
name    = "bert"
backend = "encoder"
path    = "%[1]s/backends/encoder/testdata/bert"

[[datasets]]
name   = "phrases"
source = "builtin:phrasebook"
limit  = 40

[[cascades]]
models = ["small", "large"]

[embedder]
model = "bert"


[confidence]
signals = [
	{ kind = "vote-share", samples = 3 },
	{ kind = "vote-share", samples = 3, name = "close", cosine = %[2]v },
	{ kind = "semantic-entropy", samples = 4, name = "entropy", cosine = %[2]v },
	{ kind = "self-verification", samples = 2 },
]
`

func openAsking(t *testing.T, store string, cosine float64) *pipeline.Study {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "study.toml")
	if err := os.WriteFile(file, fmt.Appendf(nil, asking, filepath.ToSlash(root), cosine), 0o644); err != nil {
		t.Fatal(err)
	}
	loaded, err := pipeline.Load(nil, file, spec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	st, err := pipeline.Open(t.Context(), loaded, pipeline.Options{Store: store, Out: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// A plan counts the calls of signals and, at most, the texts that they compare; a collection makes them, once each; an
// analysis calls nothing, whatever the cosine.
func TestSignalsByCallsAndEmbeddings(t *testing.T) {
	store := t.TempDir()
	st := openAsking(t, store, 1)
	before, err := st.Plan(t.Context(), pipeline.PlanOptions{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	var of []string
	for _, j := range before.Jobs {
		calls, of = calls+j.Calls, append(of, j.Model+" on "+j.Of())
	}
	if got := strings.Join(of, "; "); got != "small on phrases; large on phrases; small on phrases, signals" {
		t.Errorf("planned is %s", got)
	}
	// 2 models; samples of seeds 1 to 4, of which both votes take 3; 2 verdicts. Texts: an answer and 4 samples; the
	// built-in metrics embed the references and the answers of both.
	rows := st.Dataset("phrases").Sheet.Len()
	if calls != rows*(2+4+2) {
		t.Errorf("%d calls are planned for %d records", calls, rows)
	}
	planned := before.Derived[0].Missing
	report, err := st.Collect(t.Context(), pipeline.CollectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if report.Asked() != calls {
		t.Errorf("%d answers of %d planned", report.Asked(), calls)
	}
	after, err := st.Plan(t.Context(), pipeline.PlanOptions{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	if d := after.Derived[0]; d.Missing != 0 || d.OnDisk == 0 || d.OnDisk > planned {
		t.Errorf("%d texts were embedded, %d are missing; planned were %d", d.OnDisk, d.Missing, planned)
	}
	alike := map[string]float64{}
	for _, cosine := range []float64{1, .5} {
		out, err := openAsking(t, store, cosine).Analyze(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		rows := out.Result.Cascades[0].Datasets[0].Signals.Rows
		for _, row := range rows {
			by := strings.HasPrefix(row.Relation, "the cosine of their embeddings by bert ") &&
				strings.HasSuffix(row.Relation, fmt.Sprint(" is at least ", cosine))
			if row.Missing != "" || by != (row.Name == "close" || row.Name == "entropy") {
				t.Errorf("%s: missing %q; samples are the same where %q", row.Name, row.Missing, row.Relation)
			}
			alike[fmt.Sprint(row.Name, cosine)] = row.AURC.Value
		}
		if len(rows) != 5 {
			t.Errorf("%d rows of β and four signals", len(rows))
		}
	}
	if alike["vote-share1"] != alike["vote-share0.5"] || alike["close1"] == alike["close0.5"] {
		t.Errorf("the areas of the signals at two cosines: %v", alike)
	}
}
