package analyze

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infnet/harness/result"
)

// flipped are the changes that were found for a dataset's main row.
func flipped(t *testing.T, out *Output) (*row, map[string]result.Flip) {
	t.Helper()
	a := out.Datasets[0]
	x, found := a.rows.named(mainRow(a.Records)), map[string]result.Flip{}
	for _, f := range x.Rival.Flips {
		found[f.Change] = f
	}
	return x, found
}

// The study again with a target that allows so many errors: at the budget found the verdict is the one told, and at
// errors nearer by one on either side it is still the old one. For one threshold,
// thresholds per class, and a chain.
func TestBudgetFlipByFittingAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text string }{
		{"one threshold", fmt.Sprintf(drawnTOML, "policy = { target = %q }", worse, better,
			translate+"\ncorrect = { rule = \"exact-match\" }")},
		{"chain", drawnChain("policy = { target = %q }", classify)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := func(target string) *Output {
				out, _ := analysed(t, drawn(t, load(t, strings.Replace(tt.text, "%q", `"`+target+`"`, 1)), 200, nil))
				return out
			}
			out := run("best")
			x, found := flipped(t, out)
			f, n := found[result.FlipBudget], float64(out.Datasets[0].Result.Budget.Records)
			if f.Verdict == "" || f.Now != out.Datasets[0].Result.Budget.Errors {
				t.Fatalf("%+v of a budget of %+v", f, out.Datasets[0].Result.Budget)
			}
			at := func(errors float64) string {
				y, _ := flipped(t, run(fmt.Sprintf("%.9f", 1-(errors+0.5)/n)))
				return y.Rival.Verdict
			}
			if got := at(f.To); got != f.Verdict {
				t.Errorf("%+v from %q; fitted again %q", f, x.Rival.Verdict, got)
			}
			saves := func(y *row) string {
				return map[bool]string{true: "saves", false: "costs more"}[y.Saved.Value >= 0]
			}
			g := x.Rival.SavedFlips[0]
			if g.Verdict != "" {
				y, _ := flipped(t, run(fmt.Sprintf("%.9f", 1-(g.To+0.5)/n)))
				z, _ := flipped(t, run(fmt.Sprintf("%.9f", 1-(g.To+math.Copysign(1, g.Now-g.To)+0.5)/n)))
				if saves(y) != g.Verdict || saves(x) == g.Verdict || saves(z) == g.Verdict {
					t.Errorf("%+v from %v; fitted again %v, and nearer by one %v", g, x.Saved, y.Saved, z.Saved)
				}
			}
			far := math.Abs(f.To-f.Now) - 1
			for _, errs := range []float64{f.Now - far, f.Now + far} {
				if got := at(max(math.Floor(errs), 0)); got != x.Rival.Verdict {
					t.Errorf("%+v from %q, but %q at %v errors", f, x.Rival.Verdict, got, errs)
				}
			}
		})
	}
}

// Every number of answers of one model that count, in order: none smaller changes whether the target is kept.
func TestTargetFlipByTryingAll(t *testing.T) {
	for _, target := range []string{"0.6", "0.83"} {
		in := drawn(t, load(t, fmt.Sprintf(drawnTOML, fmt.Sprintf("policy = { target = %q }", target), worse, better,
			classify)), 400, nil)
		out, d := analysed(t, in)
		a := out.Datasets[0]
		x := a.rows.named(mainRow(a.Records))
		s, err := newMeasurer(a.Records)
		if err != nil {
			t.Fatal(err)
		}
		allowed, errs := d.Budget.Errors/float64(d.Budget.Records), x.plan.mix(s.errors)
		want := result.Flip{Change: result.FlipGrades, Now: float64(len(errs)), To: math.Inf(1)}
		now := targetVerdict(x.Error, allowed)
		for m, name := range a.Records.Cascade.Models {
			for from, wrong := range []bool{true, false} {
				changed := slices.Clone(errs)
				k := 0.0
				for i, e := range errs {
					if e != float64(from) || x.plan.models[x.plan.certain(i)] != m {
						continue
					}
					changed[i] = 1 - e
					k++
					iv, err := s.resamples.RateOf(changed)
					if err != nil {
						t.Fatal(err)
					}
					if v := targetVerdict(iv, allowed); v != now {
						if k < want.To {
							want.To, want.Wrong, want.Verdict, want.Model = k, wrong, v, name
						}
						break
					}
				}
			}
		}
		if got := d.Budget.Flips; len(got) != 1 || !reflect.DeepEqual(got[0], want) {
			t.Errorf("target %s, %s: %+v, want %+v", target, now, got, want)
		}
	}
}

// The chain of the study by hand, with the middle model at other prices: at the ratio found the word is the one told,
// and at ratios nearer by a half it is still the old one.
func TestExtraModelAtOtherPrices(t *testing.T) {
	in := drawn(t, load(t, drawnChain("policy = { target = \"best\" }", classify)), 400, nil)
	out, d := analysed(t, in)
	if d.Extra == nil || len(d.Extra.Flips) != 1 {
		t.Fatalf("%+v", d.Extra)
	}
	f, a := d.Extra.Flips[0], out.Datasets[0]
	s, err := newMeasurer(a.Records)
	if err != nil {
		t.Fatal(err)
	}
	m := slices.Index(a.Records.Cascade.Models, f.Model)
	chain, pair := a.rows.named(Chain).plan, a.rows.named(d.Extra.Pair).plan
	at := func(ratio float64) string {
		costs := make([]float64, len(s.truth)) // the chain's less the pair's, by record
		for sign, p := range map[float64]plan{1: chain, -1: pair} {
			for place, of := range p.models {
				price := a.Records.Models[of].Cost.Summary
				if of == m {
					price = ratio * a.Records.Master().Cost.Summary
				}
				for i, asked := range p.asked(place) {
					costs[i] -= sign * asked * price
				}
			}
		}
		iv, err := s.resamples.Difference(costs, make([]float64, len(costs)))
		if err != nil {
			t.Fatal(err)
		}
		return pays(iv)
	}
	if at(f.Now) != d.Extra.Pays || f.Verdict == "" || f.Verdict == d.Extra.Pays || at(f.To) != f.Verdict {
		t.Errorf("%+v from %s: now %s, then %s", f, d.Extra.Pays, at(f.Now), at(f.To))
	}
	for k := range 50 {
		near := f.Now * math.Pow(f.To/f.Now, float64(k)/51)
		for _, ratio := range []float64{near, f.Now * f.Now / near} {
			if at(ratio) != d.Extra.Pays {
				t.Errorf("%+v, but %s at %v", f, at(ratio), ratio)
			}
		}
	}
}
