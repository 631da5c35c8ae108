package experiments_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/cli"
	"infnet/harness/published"
	"infnet/harness/result"
	"infnet/harness/spec"
	"infnet/sufficiency"
)

// paper loads a study of the paper's folder, as it is or with the tiny pair
// standing in, on files.
func paper(t *testing.T, name string, standIns bool) *spec.Study {
	t.Helper()
	b, err := published.Read(os.DirFS("paper"))
	if err != nil {
		t.Fatal(err)
	}
	o := options(t)
	o.Published = b.Labels()
	if standIns {
		o.Use, o.StandIns = []string{"catalog/datasets.toml"}, map[string]string{"student": "tiny-student",
			"master": "tiny-master", "learner": "light", "embedder": "lexical", "scorer": "none"}
	}
	s, err := spec.Load(name, o)
	if err != nil {
		t.Fatalf("%s:\n%v", name, err)
	}
	for _, w := range s.Warnings {
		t.Errorf("%s has a warning: %s", name, w)
	}
	return s
}

// Every published table has one study, which asks what the table is about: its
// pairs of models, its datasets, its protocol. So every published row is
// claimed by one study.
func TestEveryPublishedRowIsClaimedByAStudy(t *testing.T) {
	b, err := published.Read(os.DirFS("paper"))
	if err != nil {
		t.Fatal(err)
	}
	specs, err := filepath.Glob("paper/*.toml")
	if err != nil {
		t.Fatal(err)
	}
	claimed := map[string]string{}
	for _, name := range specs {
		s := paper(t, name, false)
		if base := strings.TrimSuffix(filepath.Base(name), ".toml"); s.Name != "paper-"+base ||
			s.Report.Published != "tab:"+base {
			t.Errorf("%s is the study %s against %s", name, s.Name, s.Report.Published)
		}
		if other, again := claimed[s.Report.Published]; again {
			t.Errorf("%s and %s both stand against %s", name, other, s.Report.Published)
		}
		claimed[s.Report.Published] = name
		table, err := b.Table(s.Report.Published)
		if err != nil {
			t.Fatal(err)
		}
		p := published.Against(b, table, s, answered(s))
		for _, g := range p.Groups {
			if g.Cascade == "" {
				t.Errorf("%s asks nothing of %s and %s on %s", name, g.Student, g.Master, g.Dataset)
			}
			for _, d := range g.Differs {
				t.Errorf("%s, %s: %+v", name, g.Dataset, d)
			}
		}
		for _, d := range s.Datasets {
			if d.Source.Scheme != spec.Hub {
				t.Errorf("%s takes %s from %s", name, d.Name, d.Source.Text)
			}
		}
		if r := s.Baselines[2]; !r.Numpy || r.NumpySeed != 42 {
			t.Errorf("%s draws %+v, the published draw is numpy's 42", name, r)
		}
	}
	for _, label := range b.Labels() {
		if claimed[label] == "" {
			t.Errorf("no study stands against %s", label)
		}
	}
	if len(specs) != 17 {
		t.Errorf("%d studies, want 17", len(specs))
	}
}

// answered is what a study's results say of how they were made, without any
// number.
func answered(s *spec.Study) *result.Results {
	out := &result.Results{}
	for _, m := range s.Models {
		out.Models = append(out.Models, result.Model{Name: m.Name, ID: m.Config.Model.ID})
	}
	for _, c := range s.Cascades {
		x := result.Cascade{Name: c.Name, Models: c.Models, Written: c.Written}
		for _, name := range c.Datasets {
			d, _ := s.Dataset(name)
			x.Datasets = append(x.Datasets,
				result.Dataset{Name: name, Task: string(d.Task), Rule: string(d.Correct.Rule), Tau: d.Correct.Tau})
		}
		out.Cascades = append(out.Cascades, x)
	}
	return out
}

// The same studies load with the tiny pair standing in, on files.
func TestEveryPaperStudyLoadsWithStandIns(t *testing.T) {
	specs, err := filepath.Glob("paper/*.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range specs {
		s := paper(t, name, true)
		if len(s.StandIns) < 2 || len(s.Models) != 2 {
			t.Errorf("%s: stand-ins %v, %d models", name, s.StandIns, len(s.Models))
		}
		for _, d := range s.Datasets {
			if d.Source.Scheme != spec.File {
				t.Errorf("%s takes %s from %s", name, d.Name, d.Source.Text)
			}
		}
	}
}

// One of them from the first call to the last table, on real text.
func TestPaperStudyFromCallToTable(t *testing.T) {
	data := os.Getenv("INFNET_DATA")
	if data == "" {
		t.Skip("INFNET_DATA is not set: it names a folder of real text, see catalog/datasets.toml")
	}
	dir := t.TempDir()
	var out, errs bytes.Buffer
	code := cli.Run(t.Context(), []string{"run", "paper/add_res13.toml", "--use", "catalog/datasets.toml",
		"--model-override", "student=tiny-student,master=tiny-master,learner=light", "--limit", "60", "--store",
		filepath.Join(dir, "answers"), "--out", filepath.Join(dir, "run"), "--quiet", "--tables"},
		strings.NewReader(""), &out, &errs)
	if code != cli.ExitOK {
		t.Fatalf("exit %d\n%s", code, errs.String())
	}
	for _, want := range []string{"STAND-IN MODELS", "Published (tab:add_res13) and ours",
		"tiny-student stood in for gemma3-4b", "Number of records: 60, published 8000"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the tables do not say %q", want)
		}
	}
	r, err := result.Read(filepath.Join(dir, "run", "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.StandIns) != 3 || r.Published == nil || r.Published.Groups[0].Alike || len(r.Published.Groups[0].Rows) != 6 {
		t.Errorf("results.json: stand-ins %v, published %+v", r.StandIns, r.Published)
	}
}

// The published sufficiency test as it was made, beside ours: shuffles anywhere,
// ten of them, on the same pairs and datasets.
func TestSufficiencyByThePapersProtocol(t *testing.T) {
	ours := paper(t, "paper/sufficiency.toml", false)
	theirs, err := spec.Load("sufficiency-protocol.toml", options(t))
	if err != nil {
		t.Fatal(err)
	}
	// 1/11 is what the paper's ten shuffles can give at best.
	if len(theirs.Warnings) != 1 || !strings.Contains(fmt.Sprint(theirs.Warnings[0]), "0.0909 or more") {
		t.Errorf("warnings %v, want that of the p-values that ten shuffles cannot reach", theirs.Warnings)
	}
	q := theirs.Sufficiency
	if q.Method != sufficiency.Plain || q.Permutations != 10 {
		t.Errorf("protocol %+v: want plain permutation, and 10 of them", q)
	}
	if ours.Sufficiency.Method == sufficiency.Plain {
		t.Error("ours is the plain permutation too: nothing to set beside it")
	}
	if d := cmp.Diff(ours.Cascades, theirs.Cascades); d != "" {
		t.Errorf("not the same pairs and datasets:\n%s", d)
	}
	if d := cmp.Diff(ours.Sufficiency.Extra, q.Extra); d != "" {
		t.Errorf("not the same J:\n%s", d)
	}
}
