package spec_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"infnet/backends"
	"infnet/harness/baseline"
	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/dataset"
	"infnet/harness/policy"
	"infnet/harness/spec"
	"infnet/harness/spec/place"
	"infnet/harness/task"
	"infnet/metrics"
)

func valid(t *testing.T, name string, o spec.Options) *spec.Study {
	t.Helper()
	s, err := spec.Load(filepath.Join("testdata/valid", name), o)
	if err != nil {
		t.Fatalf("\n%v", err)
	}
	return s
}

// written are the fields that hold what a spec says before it is checked.
var written = cmp.Options{cmpopts.IgnoreFields(spec.Model{}, "ID", "Backend", "Simulated", "Replay"),
	cmpopts.IgnoreFields(spec.Dataset{}, "Words", "Means", "Columns", "Copies", "Limit"),
	cmpopts.IgnoreFields(spec.Correct{}, "Rules"),
	cmpopts.IgnoreFields(spec.Recording{}, "NoConfidence", "NullLogprob", "CountedApart", "Named")}

// targets compares budgets by what they say.
var targets = cmp.Comparer(func(a, b policy.Target) bool { return a.String() == b.String() })

// The smallest study shows every default. Expected values: the schema's own
// words, which REFERENCE.md prints.
func TestDefaults(t *testing.T) {
	s := valid(t, "small.toml", options())
	want := &spec.Study{
		Name: "small", Seed: 0, File: "testdata/valid/small.toml", Hash: s.Hash,
		Models: []spec.Model{
			{Name: "student", Mode: backends.Raw, Path: "../files/student", Currency: "USD", Config: backends.Config{
				Model: backends.ModelID{ID: "student",
					Kind: backends.Local}, Settings: &backends.FolderConfig{Path: "testdata/files/student"}}},
			{Name: "master", Mode: backends.Raw, Path: "../files/master", Currency: "USD", Config: backends.Config{
				Model: backends.ModelID{ID: "master",
					Kind: backends.Local}, Settings: &backends.FolderConfig{Path: "testdata/files/master"}}},
		},
		Datasets: []spec.Dataset{{
			Name: "reviews", Source: spec.Source{Scheme: spec.Builtin, Name: "reviews", Text: "builtin:reviews"},
			Task: task.Classification, Labels: []spec.Label{{Class: "negative", Word: "negative"},
				{Class: "positive", Word: "positive"}},
			Prompt: "Review: {text}\nSentiment:", Fields: []spec.Field{{Name: "text", Column: "text"}},
			OnBadRow: dataset.FailOnBadRow, Split: spec.Split{Limit: 1000, Fit: 0.8, Order: spec.Shuffle},
			Correct: spec.Correct{Rule: task.Label}, Metrics: []metrics.Name{metrics.Accuracy,
				metrics.F1Macro}, Truncate: spec.TruncateAllow,
		}},
		Cascades: []spec.Cascade{{Name: "student+master", Models: []string{"student", "master"},
			Datasets: []string{"reviews"}}},
		Embedder: spec.Embedder{Kind: backends.Lexical},
		Cost:     spec.Cost{Model: cost.TFLOPs, Summary: cost.Mean},
		Policy: spec.Policy{Setting: policy.NonOracle, Target: policy.Best, Calibration: confidence.NoCalibration,
			Method: "exact", Objective: policy.Deferrals, Multi: true},
		Confidence: spec.Confidence{Classification: confidence.Softmax, Generation: confidence.Exp,
			LabelMass: 0.5},
		Baselines: []spec.Baseline{{Kind: baseline.None}, {Kind: baseline.All},
			{Kind: baseline.Random, P: 0.5, Draws: 1000}, {Kind: baseline.OracleRouter}},
		Collect: spec.Collect{MaxMissing: 0.01, Timeout: 5 * time.Minute, Retries: 4, Concurrency: 1, Grace: 30 * time.Second,
			GiveUp: 20},
		Report: spec.Report{Bootstrap: 2000, Level: 0.95, Margin: 0.02},
	}
	if diff := cmp.Diff(want, s, written, targets, cmp.AllowUnexported(place.Problem{}),
		cmpopts.IgnoreUnexported(spec.Study{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The full study sets every key; what it says arrives.
func TestEveryKeyArrives(t *testing.T) {
	s := valid(t, "full.toml", options())
	one := 1.0
	if len(s.Models) != 3 {
		t.Fatalf("%d models, want 3: small, large and the catalog's shared", len(s.Models))
	}
	small := s.Models[0]
	if small.Config.Model.Revision == "" {
		t.Error("a simulated model has no revision: answers of different distributions would be mixed up")
	}
	small.Config.Model.Revision = ""
	want := spec.Model{Name: "small", Mode: backends.Chat, PriceIn: 0.1, PriceOut: 0.4, Priced: true, Currency: "EUR",
		Fixed: &one, Params: 2.5,
		Config: backends.Config{Model: backends.ModelID{ID: "acme/small", Kind: backends.Simulated},
			Settings: &backends.SimulatedConfig{Alpha: 2, Beta: 1.5, Intercept: 0.5, Slope: -0.4, Rho: 0.25, Params: 2.5,
				Seed: 7}}}
	if diff := cmp.Diff(want, small, written); diff != "" {
		t.Errorf("model (-want +got):\n%s", diff)
	}
	sets := []spec.Dataset{
		{
			Name: "reviews", Source: spec.Source{Scheme: spec.File, Name: "testdata/files/reviews.csv",
				Text: "file:../files/reviews.csv"}, Task: task.Classification,
			Labels: []spec.Label{{Class: "0", Word: "bad"}, {Class: "1", Word: "1"}}, Prompt: "{t}:",
			Fields:      []spec.Field{{Name: "g", Column: "group"}, {Name: "t", Column: "text"}},
			LabelColumn: "label", IDColumn: "text", GroupColumn: "group", OnBadRow: dataset.SkipBadRow,
			Split:   spec.Split{Limit: 20, Fit: 0.75, Order: spec.Shuffle, Stratify: true, Repeats: 3},
			Correct: spec.Correct{Rule: task.Label}, Metrics: []metrics.Name{metrics.F1Weighted,
				metrics.Accuracy}, Truncate: spec.TruncateRefuse,
		},
		{
			Name: "quotes", Source: spec.Source{Scheme: spec.File, Name: "testdata/files/questions.jsonl",
				Text: "file:../files/questions.jsonl"}, Task: task.Generation,
			Prompt: "{question}", Fields: []spec.Field{{Name: "question", Column: "question"}}, ReferenceColumn: "answers.text",
			OnBadRow: dataset.FailOnBadRow, Split: spec.Split{Limit: 30, Fit: 0.75,
				Order: spec.InFile}, MaxTokens: 7, Stop: []string{"\n", "."},
			Correct: spec.Correct{Rule: task.RougeL, Tau: 0.6}, Metrics: []metrics.Name{metrics.RougeL,
				metrics.Cosine}, Truncate: spec.TruncateAllow,
		},
		{ // the catalog's: its own split over the study's, the study's over the catalog's
			Name: "questions", Source: spec.Source{Scheme: spec.File, Name: "testdata/files/questions.jsonl",
				Text: "file:../files/questions.jsonl"}, Task: task.QA,
			Prompt: "{question} {{{context}}}", Fields: []spec.Field{{Name: "context", Column: "context"},
				{Name: "question", Column: "question"}}, ReferenceColumn: "answers.text",
			OnBadRow: dataset.FailOnBadRow, Split: spec.Split{Limit: 8000, Fit: 0.5, Order: spec.InFile}, MaxTokens: 16,
			Correct: spec.Correct{Rule: task.ExactMatch}, Metrics: []metrics.Name{metrics.RougeL,
				metrics.Cosine}, Truncate: spec.TruncateAllow,
		},
	}
	if diff := cmp.Diff(sets, s.Datasets, written); diff != "" {
		t.Errorf("datasets (-want +got):\n%s", diff)
	}
	rest := &spec.Study{
		Seed: 7,
		Cascades: []spec.Cascade{
			{Name: "pair", Models: []string{"small", "large"}, Datasets: []string{"questions", "quotes", "reviews"}},
			// the study's own
			{Name: "shared+large", Models: []string{"shared", "large"}, Datasets: []string{"reviews", "quotes"}},
		},
		Cost: spec.Cost{Model: cost.Tokens, Summary: cost.Median},
		Policy: spec.Policy{Setting: policy.Oracle, Calibration: confidence.Platt, Method: "lagrangian",
			Objective: policy.Cost},
		Confidence: spec.Confidence{Classification: confidence.Softmax, Generation: confidence.Sum, LabelMass: 0.25},
		Baselines: []spec.Baseline{{Kind: baseline.None}, {Kind: baseline.All}, {Kind: baseline.Random, P: 0.25, Draws: 1000},
			{Kind: baseline.Random, P: 0.5, Draws: 1, Numpy: true, NumpySeed: 42}, {Kind: baseline.OracleRouter}},
		Collect: spec.Collect{MaxMissing: 0.05, Timeout: 90 * time.Second, Retries: 0, Concurrency: 8,
			Grace: 30 * time.Second, GiveUp: 20, Spending: spec.Spending{Tokens: 2_000_000, Cost: 4.5, Time: 2 * time.Hour}},
		Report: spec.Report{Bootstrap: 5000, Level: 0.9, Margin: 0.05},
	}
	if got := s.Policy.Target.String(); got != "0.950" {
		t.Errorf("target %q, want the literal 0.950", got)
	}
	got := &spec.Study{Seed: s.Seed, Cascades: s.Cascades, Cost: s.Cost, Policy: s.Policy, Confidence: s.Confidence,
		Baselines: s.Baselines, Collect: s.Collect, Report: s.Report}
	got.Policy.Target = rest.Policy.Target
	if diff := cmp.Diff(rest, got, targets, cmp.AllowUnexported(place.Problem{}),
		cmpopts.IgnoreUnexported(spec.Study{})); diff != "" {
		t.Errorf("the rest (-want +got):\n%s", diff)
	}
	var warned []string
	for _, w := range s.Warnings {
		warned = append(warned, w.String())
	}
	if diff := cmp.Diff([]string{
		`testdata/valid/full.toml:30:3: models[2]: the model "spare" is not used`,
		`testdata/valid/full.toml:41:24: datasets[0].fields.g: the prompt does not name {g}`,
	}, warned); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestContinuationsBeginWithOneSpace(t *testing.T) {
	d, _ := valid(t, "small.toml", options()).Dataset("reviews")
	if diff := cmp.Diff([]string{" negative", " positive"}, d.Continuations()); diff != "" {
		t.Error(diff)
	}
}

// The command line wins over the spec.
func TestOptionsOverTheSpec(t *testing.T) {
	o := options()
	o.Limit, o.Target = 25, "0.9"
	s := valid(t, "full.toml", o)
	for name, want := range map[string]int{"reviews": 20, "quotes": 25, "questions": 25} {
		if d, _ := s.Dataset(name); d.Split.Limit != want {
			t.Errorf("%s: limit %d, want %d", name, d.Split.Limit, want)
		}
	}
	if got := s.Policy.Target.String(); got != "0.9" {
		t.Errorf("target %s, want 0.9", got)
	}
	for _, bad := range []spec.Options{{Limit: 3}, {Limit: -1}, {Target: "worst"}, {Target: "1.5"}, {Target: "master"},
		{Target: "1e-1000000000"}, {Target: "1/3"}} {
		o := options()
		o.Limit, o.Target = bad.Limit, bad.Target
		if _, err := spec.Load("testdata/valid/full.toml", o); err == nil || !strings.Contains(err.Error(), "--") {
			t.Errorf("--limit %d --target %q: error %v, want one that names the flag", bad.Limit, bad.Target, err)
		}
	}
}

func TestVariablesInPaths(t *testing.T) {
	here, err := filepath.Abs("testdata/files")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/valid/small.toml")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "study.toml")
	moved := strings.ReplaceAll(string(text), "../files/", "${FILES}/${NOTHING_TO_EXPAND}$HOME")
	moved = strings.ReplaceAll(moved, "/${NOTHING_TO_EXPAND}$HOME", "/")
	if err := os.WriteFile(name, []byte(moved), 0o600); err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Getenv = func(n string) (string, bool) { return here, n == "FILES" }
	s, err := spec.Load(name, o)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Models[0].Config.Settings.(*backends.FolderConfig).Path; got != filepath.Join(here, "student") {
		t.Errorf("path %s", got)
	}
	if s.Models[0].Path != "${FILES}/student" {
		t.Errorf("the path as written is lost: %s", s.Models[0].Path)
	}
}

// A target keeps its decimal literal: budgets are computed from it exactly.
func TestTargetLiterals(t *testing.T) {
	text, err := os.ReadFile("testdata/valid/small.toml")
	if err != nil {
		t.Fatal(err)
	}
	for literal, want := range map[string]string{
		"0.9": "9/10", "0.95": "19/20", "9e-1": "9/10", "1": "1", "0": "0", "1.0": "1",
		"0.30000000000000000001": "30000000000000000001/100000000000000000000", // no float64 has it
		"0.123_456":              "1929/15625",
		`"0.7"`:                  "7/10",
	} {
		fsys := fstest.MapFS{
			"valid/s.toml":              {Data: fmt.Appendf(nil, "%s\n[policy]\ntarget = %s\n", text, literal)},
			"files/student/config.json": {}, "files/master/config.json": {},
		}
		s, err := spec.LoadFS(fsys, "valid/s.toml", options())
		if err != nil {
			t.Errorf("%s: %v", literal, err)
			continue
		}
		xi, ok := s.Policy.Target.Numeric()
		if !ok || xi.RatString() != want {
			t.Errorf("target %s is %v, want %s", literal, xi, want)
		}
	}
}
