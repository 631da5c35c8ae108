package analyze

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/router"
	"infnet/harness/store"
)

// taughtTOML is a drawn study with baselines that learn.
func taughtTOML(data, baselines string) string {
	return fmt.Sprintf(drawnTOML, "split = { fit = 0.75 }", worse, better, data) + baselines
}

const both = `
[[baselines]]
kind = "hybridllm"
[[baselines]]
kind = "frugalgpt"
`

// own are the baselines with a learner of their own.
const own = `
[[baselines]]
kind = "token-quantiles"
[[baselines]]
kind = "copula"
[[baselines]]
kind = "knn"
[[baselines]]
kind = "clusters"
[[baselines]]
kind = "matrix-factorization"
[[baselines]]
kind = "carrot"
`

// texts gives records words that a learner could go by.
func texts(i int, e *dataset.Example) {
	e.Fields["item"] = fmt.Sprintf("%s and %s number %d", []string{"apple", "pear", "plum"}[i%3],
		[]string{"salt", "pepper"}[i%2], i)
}

// policyLines are the lines of records.jsonl.
func policyLines(t *testing.T, out *Output) []result.Record {
	t.Helper()
	var b bytes.Buffer
	for _, err := range WriteLines(&b, out) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var lines []result.Record
	for _, text := range bytes.Split(bytes.TrimSpace(b.Bytes()), []byte{'\n'}) {
		var l result.Record
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	return lines
}

func TestLearnedRows(t *testing.T) {
	t.Parallel()
	more := both + "[[baselines]]\nkind = \"hybridllm\"\ndelta = 0.1\ncompat = \"released\"\n[[baselines]]\nkind = " +
		"\"frugalgpt\"\ncompat = \"released\"\n"
	out, d := analysed(t, drawn(t, load(t, taughtTOML(translate+"\nmetrics = [\"rouge-l\"]", more)), 120, texts))
	var order []string
	for _, r := range d.Rows {
		order = append(order, r.Policy)
	}
	want := []string{"none", "all", "random", "frugalgpt", "frugalgpt-released", "hybridllm",
		"hybridllm-delta-0.1-released", "oracle-router", "single"}
	if !slices.Equal(order[:len(want)], want) {
		t.Errorf("rows %v, want first %v", order, want)
	}
	for name, charge := range map[string]string{"frugalgpt": "cascade", "frugalgpt-released": "cascade",
		"hybridllm": "router", "hybridllm-delta-0.1-released": "cascade"} {
		if got := rowNamed(t, d, name).Charge; got != charge {
			t.Errorf("%s is charged as a %s, want %s", name, got, charge)
		}
	}
	ours := d.Policies[0].FitDeferred // of a task without classes
	for _, p := range d.Policies {
		if p.Policy == Multi {
			ours = p.FitDeferred
		}
	}
	b := out.Datasets[0]
	for _, l := range d.Learned {
		checkLearned(t, b, l, ours)
		if !slices.ContainsFunc(rowNamed(t, d, l.Policy).Notes,
			func(n result.Note) bool { return strings.Contains(n.Text, "charged as 0") }) || l.Overhead != 0 || l.FLOPs <= 0 {
			t.Errorf("%s: costs are of tokens and none is given, and %v FLOPs are charged as %v", l.Policy, l.FLOPs, l.Overhead)
		}
	}
	for _, line := range policyLines(t, out) {
		for _, made := range line.Decisions {
			if strings.HasPrefix(made.Policy, "frugal") || strings.HasPrefix(made.Policy, "hybrid") {
				if made.Score == nil || made.Theta == nil || made.Deferred != (*made.Score < float64(*made.Theta)) {
					t.Fatalf("record %s: %+v", line.ID, made)
				}
			} else if made.Score != nil {
				t.Fatalf("record %s: %s has a score", line.ID, made.Policy)
			}
		}
	}
}

// checkLearned holds a baseline to its constraint on the fit part, counted
// again from its decisions.
func checkLearned(t *testing.T, b *Analysed, l result.Learned, ours int) {
	t.Helper()
	decided := b.rows.named(l.Policy).places
	deferred, drop := 0, 0.0
	q, err := qualities(b.Records)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range b.Records.Fit {
		if decided[i] == 2 {
			deferred++
		} else {
			drop += (q.master[i] - q.student[i]) / float64(len(b.Records.Fit))
		}
	}
	if deferred != l.FitDeferred {
		t.Errorf("%s: %d deferred on the fit part, %d by its decisions", l.Policy, l.FitDeferred, deferred)
	}
	if l.Kind == "frugalgpt" && deferred > ours {
		t.Errorf("%s defers %d of the fit part, ours %d: over the budget", l.Policy, deferred, ours)
	}
	most := l.Delta
	if l.Relative {
		mean := 0.0
		for _, i := range b.Records.Fit {
			mean += q.master[i] / float64(len(b.Records.Fit))
		}
		most *= math.Abs(mean)
	}
	if l.Kind == "hybridllm" && (drop > most+1e-9 || math.Abs(drop-l.FitDrop) > 1e-8 || !l.Feasible) {
		t.Errorf("%s: a drop of %v (said %v) for δ = %v", l.Policy, drop, l.FitDrop, l.Delta)
	}
}

// taught are the scores of the baselines that learned.
func taught(a *Analysed) (out []family) {
	for _, x := range a.rows {
		if x.learned != nil {
			out = append(out, *x.family)
		}
	}
	return out
}

// Other texts, references and answers in the test part: what was learned is
// the same to the bit, and so are the out-of-fold scores and the thresholds.
func TestNothingLearnedSeesTheTestPart(t *testing.T) {
	t.Parallel()
	for name, baselines := range map[string]string{"light": both, "": own} {
		for _, data := range []string{classify, translate + "\nmetrics = [\"rouge-l\"]"} {
			if name == "" && data != classify {
				continue // seconds
			}
			s := load(t, taughtTOML(data, baselines))
			run := func(change func(i int, e *dataset.Example)) (*Analysed, result.Dataset) {
				in := drawn(t, s, 60, func(i int, e *dataset.Example) {
					texts(i, e)
					change(i, e)
				})
				embedInputs(t, &in)
				out, d := analysed(t, in)
				return out.Datasets[0], d
			}
			before, want := run(func(int, *dataset.Example) {})
			tests := map[string]bool{}
			for _, i := range before.Records.Test {
				tests[before.Records.Set.Examples[i].ID] = true
			}
			other := func(e *dataset.Example) {
				e.Fields["item"] += " of another kind"
				if e.Class >= 0 {
					e.Class = (e.Class + 1) % 3
				} else {
					e.References = []string{"nothing like it"}
				}
			}
			after, got := run(func(_ int, e *dataset.Example) {
				if tests[e.ID] {
					other(e)
				}
			})
			_, changed := run(func(i int, e *dataset.Example) {
				if !tests[e.ID] && i%2 == 0 {
					other(e)
				}
			})
			for k := range want.Learned {
				w, g, c := want.Learned[k], got.Learned[k], changed.Learned[k]
				if w.Digest == "" || w.Digest != g.Digest || w.Theta != g.Theta || w.OutOfFold.Loss != g.OutOfFold.Loss ||
					w.FLOPs != g.FLOPs ||
					!slices.Equal(taught(before)[k].fit, taught(after)[k].fit) {
					t.Errorf("%s, %s: the test part changed what was fitted\n%+v\n%+v", name, w.Policy, w, g)
				}
				if w.Digest == c.Digest {
					t.Errorf("%s, %s: another fit part, and the same is learned: this test sees nothing", name, w.Policy)
				}
				if slices.Equal(taught(before)[k].test, taught(after)[k].test) && w.Learner == string(router.Light) &&
					w.Held.AUROC != nil && w.Epochs > 0 {
					t.Errorf("%s, %s: other texts, and the same scores of the test part", name, w.Policy)
				}
			}
		}
	}
}

func TestLearnedIsCached(t *testing.T) {
	in := drawn(t, load(t, taughtTOML(classify, both)), 60, texts)
	cache := &memory{files: map[string][]byte{}}
	in.Cache = cache
	_, a := analysed(t, in)
	_, b := analysed(t, in)
	if diff := cmp.Diff(encoded(t, a), encoded(t, b)); diff != "" || cache.kept != 2 || cache.had != 2 {
		t.Errorf("%d kept, %d found\n%s", cache.kept, cache.had, diff)
	}
	in.Study = load(t, taughtTOML(classify, strings.Replace(both, "hybridllm\"", "hybridllm\"\ndelta = 0.2", 1)))
	if analysed(t, in); cache.kept != 2 {
		t.Error("another δ needs no other training")
	}
	for key := range cache.files {
		cache.files[key] = []byte("{")
	}
	if analysed(t, in); cache.kept != 4 {
		t.Error("a damaged cache was taken")
	}
}

// A fit is not taken from the cache by a study that prices the same answers otherwise: some learners learn costs.
func TestCachedFitsLearnTheirOwnCosts(t *testing.T) {
	const carrot = "[[baselines]]\nkind = \"carrot\"\n" // it learns costs
	in := drawn(t, load(t, taughtTOML(classify, carrot)), 60, texts)
	embedInputs(t, &in)
	in.Cache = &memory{files: map[string][]byte{}}
	analysed(t, in)
	in.Study = load(t, strings.NewReplacer(`model = "tokens"`, `model = "fixed"`, `name      = "student"`,
		"name = \"student\"\nfixed_cost = 1", `name      = "master"`, "name = \"master\"\nfixed_cost = 3").Replace(
		taughtTOML(classify, carrot)))
	_, got := analysed(t, in)
	in.Cache = nil
	_, want := analysed(t, in)
	if diff := cmp.Diff(encoded(t, want), encoded(t, got)); diff != "" {
		t.Error(diff)
	}
}

// The copula's row is wired from both models' confidences, calibrated on the fit part, and from the deferrals of ours;
// its footnote says what was expected and what is counted. Without confidences of the master there is no row.
func TestCopulaRow(t *testing.T) {
	const row, generated = "[[baselines]]\nkind = \"copula\"\n", translate + "\nmetrics = [\"rouge-l\"]"
	in := drawn(t, load(t, taughtTOML(classify, row)), 120, texts)
	out, d := analysed(t, in)
	r, l, ours := out.Datasets[0].Records, d.Learned[0], 0
	for _, p := range d.Policies {
		if p.Policy == Multi || p.Policy == Single && len(d.Policies) == 1 {
			ours = p.FitDeferred
		}
	}
	var x [2][]float64
	for k, m := range []*records.Model{r.Student(), r.Master()} {
		raw, right := records.Pick(m.Raw, r.Fit), indicators(m.Right(r.Fit))
		var err error
		if x[k], err = router.Calibrated(raw, right, false); err != nil {
			t.Fatal(err)
		}
	}
	want, err := router.FitCopula(x[0], x[1], r.Student().Errors(r.Fit), r.Master().Errors(r.Fit), ours)
	if err != nil || float64(l.Theta) != want.Theta || l.FitDeferred != want.Deferred || want.Deferred == 0 ||
		rowNamed(t, d, l.Policy).Charge != "cascade" || l.Folds != 0 {
		t.Errorf("%+v\nwant %+v (%v), charged as a %s", l, want, err, rowNamed(t, d, l.Policy).Charge)
	}
	n, m := float64(len(r.Fit)), want.Modelled
	said := fmt.Sprintf("%.1f errors and %.1f deferrals on the fit part, where there are %.0f and %d", n*m.Error,
		n*m.Deferred, n*want.Value, want.Deferred)
	said = strings.ReplaceAll(said, ".0 ", " ")
	notes := rowNamed(t, d, l.Policy).Notes
	if !slices.ContainsFunc(notes, func(n result.Note) bool { return strings.Contains(n.Text, said) }) {
		t.Errorf("%v do not say %q", notes, said)
	}
	silent := func(a *backends.Answer) { a.Tokens, a.Confidence, a.NoLogprobs = nil, nil, true }
	in = drawn(t, load(t, taughtTOML(generated, row)), 60, texts)
	in.Store = store.Open(t.TempDir(), store.Options{})
	answer(t, in, &in.Study.Models[0], nil)
	answer(t, in, &in.Study.Models[1], silent)
	_, d = analysed(t, in)
	if len(d.Learned) != 0 || !slices.ContainsFunc(d.Notes, func(n result.Note) bool {
		return n.Text == "There is no row of Rational Tuning: it needs a confidence of master, and not every answer has one."
	}) {
		t.Errorf("a master without confidences: %+v, %v", d.Learned, d.Notes)
	}
}

func TestLearnedWithoutAnythingToLearn(t *testing.T) {
	t.Parallel()
	notes := func(d result.Dataset, name string) string {
		var all []string
		for _, n := range rowNamed(t, d, name).Notes {
			all = append(all, string(n.Kind)+": "+n.Text)
		}
		return strings.Join(all, "\n")
	}
	t.Run("a student that is never wrong", func(t *testing.T) {
		s := load(t, fmt.Sprintf(drawnTOML, "", "intercept = 0", better, classify)+both)
		_, d := analysed(t, drawn(t, s, 100, texts))
		for _, name := range []string{"frugalgpt", "hybridllm"} {
			if text := notes(d, name); !strings.Contains(text, "one-label: All 80 records") ||
				!strings.Contains(text, "never asks the master") {
				t.Errorf("%s: %s", name, text)
			}
		}
		if !d.Learned[0].Constant || d.Learned[0].OutOfFold.AUROC != nil {
			t.Errorf("%+v", d.Learned[0])
		}
	})
	t.Run("a drop that no threshold reaches", func(t *testing.T) {
		s := load(t, taughtTOML(classify, "[[baselines]]\nkind = \"hybridllm\"\ndelta = -0.9\n"))
		_, d := analysed(t, drawn(t, s, 100, texts))
		if text := notes(d, "hybridllm-delta--0.9"); !strings.Contains(text,
			"No threshold keeps the drop of the mean correctness within δ = -0.9") || d.Learned[0].Feasible {
			t.Error(text)
		}
	})
	t.Run("fewer records than folds", func(t *testing.T) {
		s := load(t, strings.Replace(taughtTOML(classify, both), "fit = 0.75", "fit = 0.3", 1))
		_, d := analysed(t, drawn(t, s, 12, texts))
		if len(d.Learned) != 0 || len(d.Notes) < 2 ||
			!strings.Contains(d.Notes[0].Text, "No row of FrugalGPT: the fit part has 3 records") {
			t.Errorf("%v", d.Notes)
		}
	})
	t.Run("a chain", func(t *testing.T) {
		out, d := analysed(t, drawn(t, load(t, drawnChain("", classify)+both), 100, texts))
		if len(d.Learned) != 0 || len(d.Notes) != 2 ||
			!strings.Contains(d.Notes[0].Text, "tables of the pairs") || d.Notes[1].Kind != "no-curve" { // all cost the same
			t.Errorf("%v", d.Notes)
		}
		if pair := out.Result.Cascades[1].Datasets[0]; len(pair.Learned) != 2 {
			t.Errorf("the pair has %d learned rows", len(pair.Learned))
		}
	})
	t.Run("a learner that is not there", func(t *testing.T) {
		s := load(t, taughtTOML(classify, both))
		s.Baselines[3].Learner = router.Command
		if _, err := Run(context.Background(), drawn(t, s, 60, texts)); err == nil ||
			!strings.Contains(err.Error(), "no learner \"command\"") {
			t.Errorf("%v", err)
		}
	})
}
