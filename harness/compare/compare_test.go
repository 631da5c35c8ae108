package compare

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infnet/harness/accept"
	"infnet/harness/fault"
	"infnet/harness/result"
)

// twoRuns are runs of one study on two datasets: of a model, and of another that is as good and answers a fifth of the
// records otherwise.
func twoRuns() (old, now *accept.Run) {
	w := &world{rng: rand.New(rand.NewPCG(3, 1)), n: 400, same: 0.8}
	var first, second, masters []answered
	for range 2 {
		a := w.model()
		first, second, masters = append(first, a), append(second, w.another(a)), append(masters, w.master())
	}
	return w.run("old", first, masters), w.run("new", second, masters)
}

// What is said of two runs of which something else differs, too.
func TestWhatIsSaid(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(old, now *accept.Run)
		causes []Kind
		check  func(t *testing.T, c *Comparison)
		says   []string
		hide   []string
	}{
		{name: "answers alone", change: func(_, _ *accept.Run) {}, causes: []Kind{OfAnswers},
			says: []string{"a answers d0 otherwise", "other weights behind the same name", "error of single on d1: ",
				"at the accepted thresholds"}, hide: []string{"(a+b)"}},
		{name: "several cascades on a dataset", change: func(old, now *accept.Run) {
			for _, r := range []*accept.Run{old, now} {
				more := clone(r.Cascades)[0]
				more.Name, more.Datasets = "a+b twice", more.Datasets[:1]
				r.Cascades = append(r.Cascades, more)
			}
		}, causes: []Kind{OfAnswers}, says: []string{"of single on d0 (a+b): ", "of single on d0 (a+b twice): ",
			"error of single on d1: ", "d0, test part, single (a+b): "}},
		{name: "a missing answer of the master", change: func(_, now *accept.Run) {
			m := &now.Cascades[0].Datasets[0].Models[1]
			m.Lost = slices.Repeat(accept.Column[bool]{false}, len(m.Right))
			m.Lost[7] = true
			values := now.Cascades[0].Datasets[0].Rows[0].Values
			values[accept.Error] = accept.Estimate{values[accept.Error][0] + 0.001}
		}, causes: []Kind{OfAnswers, OfMissing}, says: []string{"d0, b: 1 record has no answer now (7)"},
			check: func(t *testing.T, c *Comparison) {
				for _, q := range c.Quantities {
					if q.Dataset == "d0" && q.Verdict != Same && !slices.Contains(q.Causes, OfMissing) {
						t.Errorf("%s of %s is %s, and no answer is missing", q.Metric, q.Policy, q.Verdict)
					}
				}
			}},
		{name: "a hash of answers that nobody can look at", change: func(old, now *accept.Run) {
			for i := range now.Cascades[0].Datasets {
				now.Cascades[0].Datasets[i].Models[0].Right = old.Cascades[0].Datasets[i].Models[0].Right
			}
		}, causes: []Kind{OfAnswers}, hide: []string{"a answers d0 otherwise"},
			says: []string{"the answers of a to d0 have another hash; none turned right or wrong, though its name"}},
		{name: "a server", change: func(old, now *accept.Run) {
			old.Models[0].Servers = []result.Server{{Name: "vllm", Version: "0.10", Fingerprint: "f1"}}
			now.Models[0].Servers = []result.Server{{Name: "vllm", Version: "0.11", Fingerprint: "f2"}}
			old.Models[0].AnsweredBy = []result.Responder{{Name: "small-1"}}
			now.Models[0].AnsweredBy = []result.Responder{{Name: "small-2"}}
		}, causes: []Kind{OfServer, OfAnswers}, says: []string{"a, server: vllm 0.10 (f1) → vllm 0.11 (f2)",
			"a, the name it answers under: small-1 → small-2", "otherwise", "another server or version"}},
		{name: "another backend, with the same weights", change: func(old, now *accept.Run) {
			old.Models[0].Backend, now.Models[0].Backend = "local", "openai"
		}, causes: []Kind{OfServer, OfAnswers}, says: []string{"a, backend: local → openai", "another server or version"}},
		{name: "settings nobody wrote down", change: func(old, now *accept.Run) {
			old.Spec, old.Settings = "other", nil
		}, causes: []Kind{OfSpec, OfAnswers}, says: []string{"which keys do is not known"}},
		{name: "the seed before what follows from it", change: func(old, now *accept.Run) {
			now.Spec = "other"
			old.Settings = map[string]string{"policy.calibration": "none", "seed": "1", "models.a.simulated.seed": "1"}
			now.Settings = map[string]string{"policy.calibration": "none", "seed": "2", "models.a.simulated.seed": "2"}
		}, causes: []Kind{OfSeed, OfSpec, OfAnswers}, says: []string{`seed: "1" → "2"`}},
		{name: "another embedder", change: func(old, now *accept.Run) {
			*now = *old
			now.Name, now.Results = "new", "new"
			now.Cascades = clone(old.Cascades)
			m := &now.Cascades[0].Datasets[0].Models[0]
			m.Scores = map[string][]accept.Column[float64]{"cosine": {slices.Clone(m.Cost)}}
			old.Cascades[0].Datasets[0].Models[0].Scores = map[string][]accept.Column[float64]{"cosine": {slices.Clone(m.Cost)}}
			m.Scores["cosine"][0][4]++
		}, causes: []Kind{OfScorer}, says: []string{"cosine scores the same answers of a to d0 otherwise, on 1 of 80 " +
			"records"}},
		{name: "another program that grades", change: func(old, now *accept.Run) {
			old.Data, now.Data = slices.Clone(old.Data), slices.Clone(old.Data)
			old.Data[0].Grader, now.Data[0].Grader = "0123456789abcdef0", "f"
		}, causes: []Kind{OfAnswers, OfScorer}, says: []string{"d0: another program or judge grades, or its files or " +
			"template changed: 0123456789abcdef → f"}},
		{name: "measured times", change: func(old, now *accept.Run) { now.Cascades[0].CostModel = latency },
			causes: []Kind{OfAnswers}, says: []string{"no cost and no saving is tested"},
			check: func(t *testing.T, c *Comparison) {
				for _, q := range c.Quantities {
					if q.Tested && (q.Metric == costs || q.Metric == accept.PerQuery) {
						t.Errorf("%s of %s is tested", q.Metric, q.Policy)
					}
				}
			}},
		{name: "records in groups", change: func(old, now *accept.Run) {
			for _, r := range []*accept.Run{old, now} {
				for i := range r.Data {
					for k := range r.Data[i].IDs {
						r.Data[i].Group = append(r.Data[i].Group, k/4)
					}
				}
			}
		}, causes: []Kind{OfAnswers}, check: func(t *testing.T, c *Comparison) {
			for _, q := range c.Quantities {
				if q.Test == mcnemar {
					t.Errorf("%s of %s is tested record by record", q.Metric, q.Policy)
				}
			}
		}},
		{name: "calibrated confidences", change: func(old, now *accept.Run) {
			now.Settings = map[string]string{"policy.calibration": "platt"}
			old.Settings = now.Settings
		}, causes: []Kind{OfAnswers}, says: []string{"compared by its models alone"},
			check: func(t *testing.T, c *Comparison) {
				for _, q := range c.Quantities {
					if q.Policy == "single" && q.Tested {
						t.Errorf("%s of single is tested", q.Metric)
					}
				}
			}},
		{name: "a dataset more and one less", change: func(old, now *accept.Run) {
			old.Cascades[0].Datasets[0].Dataset, old.Data[0].Name = "gone", "gone"
		}, causes: []Kind{OfAnswers}, says: []string{"New, with nothing to compare with\na+b, d0",
			"Gone, and so not compared\na+b, gone", "same; gone: a+b, gone; new: a+b, d0\n"}},
		{name: "errors measured against the master", change: func(_, now *accept.Run) { now.Cascades[0].Setting = oracle },
			causes: []Kind{OfAnswers}, check: func(t *testing.T, c *Comparison) {
				for _, q := range c.Quantities {
					if q.Tested && (q.Metric == accept.Error || q.Direction == Higher && q.Unit == "") {
						t.Errorf("%s of %s is tested, and is no longer the same quantity", q.Metric, q.Policy)
					}
				}
			}},
		{name: "another model of costs", change: func(_, now *accept.Run) { now.Cascades[0].CostModel = "other" },
			causes: []Kind{OfAnswers}, check: func(t *testing.T, c *Comparison) {
				for _, q := range c.Quantities {
					if q.Tested && q.Metric == accept.PerQuery {
						t.Errorf("%s of %s is tested, and is no longer the same quantity", q.Metric, q.Policy)
					}
				}
			}},
		{name: "cascades of another name", change: func(old, now *accept.Run) { old.Cascades[0].Name = "x" },
			causes: []Kind{OfAnswers}, says: []string{"cascade a+b is compared with cascade x, which had its place"}},
		{name: "a study of another name", change: func(old, now *accept.Run) { old.Study = "x" },
			causes: []Kind{OfAnswers}, says: []string{"the study was called x, and is called s"}},
		{name: "incomplete", change: func(old, now *accept.Run) { now.Cascades[0].Incomplete = true },
			causes: []Kind{OfAnswers}, says: []string{"incomplete: of ", "incomplete: error of "},
			check: func(t *testing.T, c *Comparison) {
				for _, q := range c.Quantities {
					if q.Tested || q.Verdict != Incomplete {
						t.Errorf("%s of %s: tested %v, %s", q.Metric, q.Policy, q.Tested, q.Verdict)
					}
				}
			}},
		{name: "an accepted file as the new run", change: func(_, now *accept.Run) {
			now.Accepted = "2026-01-31"
			for i := range now.Cascades[0].Datasets {
				now.Cascades[0].Datasets[i].Models[0].Beta = nil
			}
		}, causes: []Kind{OfAnswers}, says: []string{"compared by its models alone"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, now := twoRuns()
			c.change(old, now)
			found, err := Runs(old, now, Options{Alpha: 0.05})
			if err != nil {
				t.Fatal(err)
			}
			var kinds []Kind
			for _, x := range found.Causes {
				kinds = append(kinds, x.Kind)
			}
			if kinds = slices.Compact(kinds); !slices.Equal(kinds, c.causes) {
				t.Errorf("causes %v, want %v", kinds, c.causes)
			}
			says := text(found)
			for _, want := range c.says {
				if !strings.Contains(says, want) {
					t.Errorf("not a word of %q:\n%s", want, says)
				}
			}
			for _, not := range c.hide {
				if strings.Contains(says, not) {
					t.Errorf("says %q:\n%s", not, says)
				}
			}
			if c.check != nil {
				c.check(t, found)
			}
		})
	}
}

// text is everything that a comparison says, a line each.
func text(c *Comparison) string {
	lines := append([]string{c.Summary}, c.Head()...)
	for _, part := range c.Parts(true) {
		lines = append(append(lines, part.Title), part.Lines...)
	}
	return strings.Join(lines, "\n")
}

// clone copies cascades as deep as a test changes them.
func clone(list []accept.Cascade) []accept.Cascade {
	out := slices.Clone(list)
	for i := range out {
		out[i].Datasets = slices.Clone(out[i].Datasets)
		for k := range out[i].Datasets {
			out[i].Datasets[k].Models = slices.Clone(out[i].Datasets[k].Models)
		}
	}
	return out
}

func TestUnrelatedRunsAreRefused(t *testing.T) {
	for name, change := range map[string]func(old *accept.Run){
		"other datasets": func(old *accept.Run) {
			for i := range old.Data {
				old.Data[i].Name = fmt.Sprint("x", i)
				old.Cascades[0].Datasets[i].Dataset = old.Data[i].Name
			}
		},
		"no cascade": func(old *accept.Run) { old.Cascades = nil },
		"other records": func(old *accept.Run) {
			for i := range old.Data {
				for k := range old.Data[i].Content {
					old.Data[i].Content[k] += 1 << 20
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			old, now := twoRuns()
			change(old)
			_, err := Runs(old, now, Options{Alpha: 0.05})
			var known *fault.Error
			if !errors.As(err, &known) || known.Kind != fault.Unrelated || !strings.Contains(err.Error(), "old (study s)") {
				t.Errorf("%v", err)
			}
		})
	}
}
