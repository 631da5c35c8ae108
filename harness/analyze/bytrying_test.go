package analyze

import (
	"slices"
	"strings"
	"testing"

	"infnet/harness/pool"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/spec"
)

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

// In the oracle setting the last model's answer is the reference, of the pair
// of the first two as well.
func TestChainOracleByHand(t *testing.T) {
	_, d := analysed(t, chainInput(t, "\n[policy]\nsetting = \"oracle\"\ntarget = 0.9\n", nil))
	near(t, "B", d.Budget.Errors, 1)
	// The student disagrees with the master on 3, 4, 7 and 9, the middle model
	// on 4, 5, 9 and 10. Deferring 10, 9, 5, 8, 7, 4, 3, 2, 1 and 6 one by one
	// makes 4 errors, then 5, 5, 6, 6, 5, 5, 4, 4, 4 and 4: never one.
	if p := fittedPolicy(t, d, "pair-1-2"); p.Feasible {
		t.Errorf("the pair of the first two meets the budget: %+v", p)
	}
	near(t, "the master's error", rowNamed(t, d, "all").Error.Value, 0)
	near(t, "the student's error", rowNamed(t, d, "none").Error.Value, .3)  // 12, 16 and 17
	near(t, "the middle's error", rowNamed(t, d, "only-2").Error.Value, .4) // 13, 15, 17 and 18
	if p := fittedPolicy(t, d, Chain); !p.Feasible || p.FitErrors > 1 {
		t.Errorf("the chain misses the budget: %+v", p)
	}
}
