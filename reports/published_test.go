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

// Every table of a study with stand-in models is headed by them, in every
// format, and the published rows have tables of their own.
func TestStandInsHeadEveryTable(t *testing.T) {
	for _, label := range []string{"tab:multi-thres_results", "tab:sufficiency"} {
		s := beside(t, label)
		all := Tables(s)
		named := 0
		for i := range all {
			var md, tex bytes.Buffer
			if err := all[i].Markdown(&md); err != nil {
				t.Fatal(err)
			}
			if err := all[i].LaTeX(&tex); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(all[i].Kind, "published") {
				named++
			}
			for format, got := range map[string]string{"Markdown": md.String(), "LaTeX": tex.String()} {
				if !strings.Contains(got, "STAND-IN MODELS.") || !strings.Contains(got, "stood in for gemma3-1b") {
					t.Errorf("%s of %s is not headed by the stand-ins:\n%s", format, all[i].Label, got)
				}
			}
		}
		if want := map[string]int{"tab:multi-thres_results": 2, "tab:sufficiency": 1}[label]; named != want {
			t.Errorf("%s: %d tables of published rows, want %d", label, named, want)
		}
	}
	parts := study()
	parts.StandIns = []result.StandIn{{For: "bert", Model: "light", Part: "encoder"},
		{For: "minilm", Model: "lexical", Part: "embedder"}, {For: "likely", Model: "none", Part: "scorer"}}
	for _, x := range append(Tables(study()), Tables(parts)...) {
		var md bytes.Buffer
		if err := x.Markdown(&md); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(md.String(), "STAND-IN") {
			t.Error("a study without other language models says it has them")
		}
	}
}

// The tables beside published numbers, as they are written.
func TestPublishedTablesLookAsTheyDid(t *testing.T) {
	for _, label := range []string{"tab:multi-thres_results", "tab:sufficiency"} {
		var b bytes.Buffer
		for _, x := range publishedTables(beside(t, label)) {
			if err := x.Markdown(&b); err != nil {
				t.Fatal(err)
			}
			b.WriteString("\n")
			if err := x.CSV(&b); err != nil {
				t.Fatal(err)
			}
			b.WriteString("\n")
		}
		golden(t, "published/"+strings.TrimPrefix(label, "tab:")+".md", b.Bytes())
	}
}
