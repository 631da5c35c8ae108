package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/spec"
	"infnet/sufficiency"
	"infnet/sufficiency/gbdt"
)

func TestSufficiencyTable(t *testing.T) {
	want := &spec.Sufficiency{Extra: []spec.Extra{spec.Embeddings, spec.OutputStats}, Test: sufficiency.Test{
		Learner: gbdt.Exact,
		Method:  sufficiency.Plain, Permutations: 99}, Nulls: []sufficiency.Null{sufficiency.Beta},
		Dimensions: 64}
	if diff := cmp.Diff(want, valid(t, "full.toml", options()).Sufficiency); diff != "" {
		t.Errorf("written out (-want +got):\n%s", diff)
	}
	if s := valid(t, "small.toml", options()).Sufficiency; s != nil || s.Asks(spec.OutputStats) {
		t.Errorf("without a table: %+v, want nil", s)
	}
	for _, test := range []struct {
		name, table string
		want        *spec.Sufficiency
		warning     string
	}{
		{name: "an empty table means the defaults",
			want: &spec.Sufficiency{Extra: []spec.Extra{spec.OutputStats}, Test: sufficiency.Test{
				Learner: gbdt.Hist, Method: sufficiency.PCM}}},
		{name: "ten shuffles cannot reach 0.05",
			table: "method = \"plain\"\npermutations = 10\nextra = [\"embeddings\"]",
			want: &spec.Sufficiency{Extra: []spec.Extra{spec.Embeddings}, Test: sufficiency.Test{
				Learner: gbdt.Hist, Method: sufficiency.Plain, Permutations: 10}, Dimensions: 100},
			warning: "10 permutations give p-values of 0.0909 or more"}, // 1/11
	} {
		t.Run(test.name, func(t *testing.T) {
			text := `study = "s"
models = [{ name = "a", backend = "local", path = "../files/student" }, { name = "b", backend = "local", path = "../files/master" }]
datasets = [{ name = "reviews", source = "builtin:reviews" }]
cascades = [{ models = ["a", "b"] }]
[sufficiency]
` + test.table
			s, err := spec.LoadFS(files(text), "valid/s.toml", options())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, s.Sufficiency); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var warned []string
			for _, w := range s.Warnings {
				warned = append(warned, w.Message)
			}
			if got := strings.Join(warned, "; "); (got == "") != (test.warning == "") || !strings.Contains(got, test.warning) {
				t.Errorf("warnings %q, want %q", got, test.warning)
			}
		})
	}
}
