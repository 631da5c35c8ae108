package reports

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"infnet/harness/published"
	"infnet/harness/result"
	"infnet/harness/spec"
)

// beside is the hand-made study against a published table: one group made
// alike but for the models, one that the study does not have.
func beside(t *testing.T, label string) *result.Results {
	t.Helper()
	b, err := published.Read(os.DirFS("../experiments/paper"))
	if err != nil {
		t.Fatal(err)
	}
	table, err := b.Table(label)
	if err != nil {
		t.Fatal(err)
	}
	s := study()
	s.Cascades = s.Cascades[:1]
	c := &s.Cascades[0]
	c.Datasets = c.Datasets[:1]
	c.Datasets[0].Name, c.Written = "sst-2", []string{"gemma3-1b", "gemma3-4b"}
	s.StandIns = []result.StandIn{{For: "gemma3-1b", Model: "tiny-student", Role: "student"},
		{For: "gemma3-4b", Model: "tiny-master", Role: "master"}}
	in := &spec.Study{Datasets: []spec.Dataset{{Name: "sst-2", Task: "classification",
		Source: spec.Source{Text: "hf:nyu-mll/glue/sst2:train"}, Split: spec.Split{Limit: 8000, Fit: 0.8,
			Order: spec.InFile}}}}
	s.Published = published.Against(b, table, in, s)
	return s
}

// Every table of a study with stand-in models is headed by them, and published rows have tables of their own. Stand-ins
// that are no language models head none.
func TestPublishedTables(t *testing.T) {
	for _, label := range []string{"tab:multi-thres_results", "tab:sufficiency"} {
		var b bytes.Buffer
		for _, x := range Tables(beside(t, label)) {
			md, csv := written(t, x)
			if !strings.Contains(md, "**STAND-IN MODELS.**") || !strings.Contains(md, "stood in for gemma3-1b") {
				t.Errorf("%s is not headed by the stand-ins:\n%s", x.Label, md)
			}
			if strings.HasPrefix(x.Kind, "published") {
				b.WriteString(md + "\n" + csv + "\n")
			}
		}
		golden(t, "published/"+strings.TrimPrefix(label, "tab:")+".md", b.Bytes())
	}
	parts := study()
	parts.StandIns = []result.StandIn{{For: "bert", Model: "light", Part: "encoder"},
		{For: "minilm", Model: "lexical", Part: "embedder"}, {For: "likely", Model: "none", Part: "scorer"}}
	if who := standIns(parts); who != nil {
		t.Errorf("a study without other language models says it has them: %v", who)
	}
}
