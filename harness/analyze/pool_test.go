package analyze

import (
	"math"
	"slices"
	"strings"
	"testing"

	"infnet/harness/pool"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/spec"
	"infnet/metrics"
)

// The pool of the study by hand: alone its models err and cost what the chain's rows of single models do, what was
// chosen does not depend on the test part, and no cascade of the envelope errs more than its points say.
func TestPoolOfTheStudyByHand(t *testing.T) {
	out := func(omit func(string, int) string) (*result.PoolDataset, result.Dataset) {
		in := chainInput(t, "\n[[pools]]\nname = \"three\"\nmodels = [\"student\", \"middle\", \"master\"]\n", omit)
		found, err := Run(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Result.Pools) != 1 || found.Result.Pools[0].Name != "three" {
			t.Fatalf("pools %+v", found.Result.Pools)
		}
		return &found.Result.Pools[0].Datasets[0], found.Result.Cascades[0].Datasets[0]
	}
	p, d := out(nil)
	for m, row := range []string{"none", "only-2", "all"} {
		near(t, row+", error", p.Models[m].Error.Value, rowNamed(t, d, row).Error.Value)
	}
	near(t, "the student's mean cost on the fit part", p.Models[0].Fit.Cost, 10)
	near(t, "the master's", p.Models[2].Fit.Cost, 100)
	if len(p.Pairs) != 6 {
		t.Errorf("%d pairs of three models, want 6", len(p.Pairs))
	}
	first, last := p.Envelope[0], p.Envelope[len(p.Envelope)-1]
	if first.Kind != "single" || first.Models[0] != "student" || first.Price.From != 0 ||
		!math.IsInf(float64(last.Price.To), 1) {
		t.Errorf("the envelope goes from %+v to %+v, want it from the student alone to any price", first, last)
	}
	for k := 1; k < len(p.Envelope); k++ {
		a, b := p.Envelope[k-1], p.Envelope[k]
		if b.Fit.Error >= a.Fit.Error || b.Fit.Cost <= a.Fit.Cost || a.Price.To != b.Price.From ||
			a.Price.To <= a.Price.From {
			t.Errorf("choices %d and %d of the envelope: %+v, %+v", k-1, k, a, b)
		}
	}
	for _, s := range p.Savings {
		if s.Cascade == nil {
			continue
		}
		sum := s.Signal.Value + s.Structure.Value + s.Choice.Value
		if s.Signal.Value < -1e-9 || s.Structure.Value < -1e-9 || s.Choice.Value < -1e-9 || sum > s.Cascade.Cost.Value+1e-9 {
			t.Errorf("loss of %v: %+v, %+v, %+v of a cost of %v", s.Cascade.Models, s.Signal, s.Structure, s.Choice,
				s.Cascade.Cost.Value)
		}
	}
	// Without a record of the test part what was chosen is the same.
	less, _ := out(func(model string, record int) string {
		if model == "middle" && record == 13 {
			return "timeout"
		}
		return ""
	})
	if less.Counts.Test != p.Counts.Test-1 {
		t.Fatalf("%d and %d test records", p.Counts.Test, less.Counts.Test)
	}
	for k, c := range less.Envelope {
		if c.Fit != p.Envelope[k].Fit || strings.Join(c.Models, "+") != strings.Join(p.Envelope[k].Models, "+") {
			t.Errorf("choice %d depends on the test part: %+v, %+v", k, c, p.Envelope[k])
		}
	}
}

// Grades changed in the columns themselves, and all cascades of a small pool judged anew: the grades told flip one of
// them, and no smaller number does, of any cascade, with the records that are alike (to the cascade and its models)
// first.
func TestPoolGradesByTryingAll(t *testing.T) {
	told := map[float64]bool{}
	for _, n := range []int{500, 700, 1000, 1500} {
		x := drawnPool(t, n)
		f := x.out.Flips[slices.IndexFunc(x.out.Flips, func(f result.Flip) bool { return f.Change == result.FlipGrades })]
		contests, claims, cascades := x.claims(t)
		worth := func(c, m int, of []int) bool {
			claim, answers := claims[c], cascades[c].Answers(x.test)
			claim.Models = slices.Clone(claim.Models)
			claim.Models[m].Error, claim.Ours.Error = slices.Clone(claim.Models[m].Error), slices.Clone(claim.Ours.Error)
			for _, i := range of {
				claim.Models[m].Error[i] = 1 - claim.Models[m].Error[i]
				if answers[i] == m {
					claim.Ours.Error[i] = claim.Models[m].Error[i]
				}
			}
			list := slices.Clone(contests)
			list[c] = pool.NewContest(x.resamples, claim)
			return pool.Judge(list)[c].Verdict == pool.WorthIt
		}
		fewest, flipped := f.To, false
		for c, p := range cascades {
			now, answers := worth(c, 0, nil), p.Answers(x.test)
			for _, m := range p.Models {
				for i := range x.test[m].Error {
					alike := func(a, b int) bool {
						return (answers[a] == m) == (answers[b] == m) && !slices.ContainsFunc(p.Models, func(o int) bool {
							return x.test[o].Error[a] != x.test[o].Error[b]
						})
					}
					var of []int // those like record i, if it is the first of them, then others of the same grade
					for _, want := range []bool{true, false} {
						for j, e := range x.test[m].Error {
							if e == x.test[m].Error[i] && alike(i, j) == want {
								of = append(of, j)
							}
						}
					}
					for k := 1; of[0] == i && k <= len(of) && k <= int(f.To); k++ {
						if worth(c, m, of[:k]) != now {
							fewest, flipped = min(fewest, float64(k)), true
							break
						}
					}
				}
			}
		}
		if fewest != f.To || !flipped && f.To > 4 { // few are told of mixtures
			t.Errorf("%d records: %+v, but %v flip it", n, f, fewest)
		}
		told[f.To] = true
	}
	if len(told) < 3 || told[0] {
		t.Errorf("numbers of grades: %v", told)
	}
}

// drawnPool analyses a pool of three simulated models.
func drawnPool(t *testing.T, n int) *pooled {
	t.Helper()
	text := strings.NewReplacer(worse, "intercept = 1, slope = -1", `model = "tokens"`, `model = "fixed"`,
		`name      = "student"`, "name = \"student\"\nfixed_cost = 1", `name = "middle"`,
		"name = \"middle\"\nfixed_cost = 20", `name      = "master"`, "name = \"master\"\nfixed_cost = 40").Replace(
		drawnChain("report = { margin = 0.05 }", classify))
	x := pooledOf(t, load(t, text+"\n[[pools]]\nname = \"three\"\nmodels = [\"student\", \"middle\", \"master\"]\n"), n)
	if _, err := x.analyse(t.Context()); err != nil {
		t.Fatal(err)
	}
	return x
}

// pooledOf prepares a study's pool on drawn records.
func pooledOf(t *testing.T, s *spec.Study, n int) *pooled {
	t.Helper()
	in := drawn(t, s, n, nil)
	answers, err := records.Read(t.Context(), in.Input)
	if err != nil {
		t.Fatal(err)
	}
	c := s.Pools[0].Cascade()
	r, err := records.Prepare(in.Input, answers, &c, s.Pools[0].Datasets[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	return &pooled{in: in, pool: &s.Pools[0], r: r}
}

// In a pool's ensembles texts have one vote where samples and a chain's ensembles have one: counted from the answers,
// which are references or invented words; SQuAD's form of a text is that text's vote.
func TestPoolVotesOnTexts(t *testing.T) {
	s := load(t, drawnChain("", translate+"\ncorrect = { rule = \"exact-match\" }")+
		"\n[[pools]]\nname = \"three\"\nmodels = [\"student\", \"middle\", \"master\"]\nensembles = [\"majority\"]\n")
	x, same, other := pooledOf(t, s, 60), 0, 0
	r := x.r
	list := x.columns(r.Test)
	for k, i := range r.Test {
		for m := range list {
			for o := range list[:m] {
				equal := metrics.ScoreExactMatch(r.Text(m, i), []string{r.Text(o, i)}) == 1
				if equal != (list[m].Class[k] == list[o].Class[k]) {
					t.Errorf("%q and %q are numbered %d and %d", r.Text(m, i), r.Text(o, i), list[m].Class[k], list[o].Class[k])
				}
				if equal {
					same++
				} else {
					other++
				}
			}
		}
	}
	if same == 0 || other == 0 {
		t.Errorf("%d equal answers and %d others", same, other)
	}
}

// claims are those that the savings judge.
func (x *pooled) claims(t *testing.T) (contests []*pool.Contest, claims []pool.Claim, cascades []pool.Policy) {
	t.Helper()
	var models []pool.Measured
	for m := range x.test {
		models = append(models, x.test.Alone(m))
	}
	for _, single := range x.found.Families[0].Hull {
		best, ok := x.found.Best(single.Error)
		if !ok {
			continue
		}
		played, err := best.Play(x.test)
		if err != nil {
			t.Fatal(err)
		}
		claim := pool.Claim{Ours: played, Models: models, Than: single.Models[:1], Single: pool.None,
			Margin: x.r.Study.Report.Margin}
		contests, claims = append(contests, pool.NewContest(x.resamples, claim)), append(claims, claim)
		cascades = append(cascades, best.Policy)
	}
	return contests, claims, cascades
}
