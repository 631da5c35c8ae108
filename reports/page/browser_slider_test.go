package page_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"infnet/harness/policy"
	"infnet/harness/result"
)

// positions is the number of positions of the slider that are compared, of all groups of a page together.
const positions = 40

// fitted is what the page shows for thresholds of one form, and what infnet fit prints: six digits.
type fitted struct {
	Errors, Deferred string
	Thresholds       []string // in the order of classes
}

func printedFit(p policy.Policy) fitted {
	f := fitted{Errors: p.FitError.String(), Deferred: strconv.Itoa(p.FitDeferred)}
	for _, theta := range p.Thresholds {
		text := strconv.FormatFloat(theta, 'g', 6, 64)
		if math.IsInf(theta, 1) {
			text = "inf"
		}
		f.Thresholds = append(f.Thresholds, text)
	}
	return f
}

// fitPart is the fit part of a pair's records, as thresholds are fitted to it.
func fitPart(records []result.Record, cascade string, d *result.Dataset) policy.Records {
	r := policy.Records{Classes: max(1, len(d.Labels))}
	for _, x := range records {
		if x.Cascade == cascade && x.Dataset == d.Name && x.Part == result.PartFit {
			r.Class = append(r.Class, max(0, slices.Index(d.Labels, x.Models[0].Class)))
			r.Beta = append(r.Beta, x.Models[0].Beta)
			r.Student, r.Master = append(r.Student, x.Models[0].Error), append(r.Master, x.Models[1].Error)
		}
	}
	return r
}

// Every position of the slider shows what a fit to its target finds: errors, deferrals and thresholds.
func TestSliderShowsWhatFitPrints(t *testing.T) {
	b := startBrowser(t)
	for name, dir := range map[string]string{"pair": simulated(t), "all tasks": quick(t)} {
		t.Run(name, func(t *testing.T) {
			p := b.Open(address(pageOf(dir)))
			comparePositions(t, p, dir)
			quiet(t, p, address(pageOf(dir)))
		})
	}
}

// comparePositions compares random positions of every group of a page.
func comparePositions(t *testing.T, p *Page, dir string) {
	t.Helper()
	r, records := read(t, dir)
	var groups []struct {
		Cascade, Dataset string
		Positions        int
	}
	p.Wait(`infnet.explore`)
	p.Eval(`infnet.explore.groups`, &groups)
	rng, compared := rand.New(rand.NewPCG(1, 2)), 0
	for k, g := range groups {
		_, d := find(r, g.Cascade, g.Dataset, "single")
		part := fitPart(records, g.Cascade, d)
		p.Eval(fmt.Sprintf(`infnet.explore.choose(%d)`, k), nil)
		for range positions / len(groups) {
			var shown struct {
				Target        string
				Single, Multi *fitted
			}
			p.Eval(fmt.Sprintf(`(() => {
				infnet.explore.set(%d);
				const all = (key) => [...document.querySelectorAll('[data-read="' + key + '"]')].map((e) => e.textContent);
				const form = (f) => all(f + ".errors").length ? {errors: all(f + ".errors")[0],
					deferred: all(f + ".deferred")[0], thresholds: all(f + ".thresholds")} : null;
				return {target: all("target")[0], single: form("single"), multi: form("multi")};
			})()`, rng.IntN(g.Positions)), &shown)
			target, err := policy.ParseTarget(shown.Target)
			if err != nil {
				t.Fatal(err)
			}
			for _, tt := range []struct {
				page *fitted
				fit  func(policy.Records, policy.Options) (policy.Policy, error)
			}{{shown.Single, policy.FitSingle}, {shown.Multi, policy.FitMulti}} {
				if tt.page == nil {
					continue
				}
				found, err := tt.fit(part, policy.Options{Target: target})
				if err != nil {
					t.Fatal(err)
				}
				compared++
				if want := printedFit(found); fmt.Sprint(*tt.page) != fmt.Sprint(want) {
					t.Errorf("%s, target %s: the page shows %+v, a fit finds %+v", g.Dataset, shown.Target, *tt.page, want)
				}
			}
		}
	}
	if compared < positions {
		t.Errorf("only %d forms at %d positions compared", compared, positions)
	}
}
