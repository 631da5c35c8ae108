package page_test

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"infnet/harness/result"
	"infnet/reports/page/browsertest"
)

// fitted is what infnet fit prints, and what the page shows, for thresholds of one form.
type fitted struct {
	Errors, Deferred string
	Thresholds       []string // in the order of classes
}

var (
	fitLine   = regexp.MustCompile(`fit part +(\d+) of \d+ deferred +([0-9.]+) errors`)
	thetaLine = regexp.MustCompile(`(?m)^  (\S+) +θ = (\S+)$`)
)

// fit runs infnet fit on a file of logs, and returns what it prints for one threshold and for one per class.
func fit(t *testing.T, file, target string, classes []string) (single, multi fitted) {
	t.Helper()
	out := infnet(t, "fit", file, "--target", target, "--fit", "1")
	first, second, _ := strings.Cut(out, "a threshold per class (")
	return printedFit(first, []string{"all"}), printedFit(second, classes)
}

func printedFit(text string, classes []string) (f fitted) {
	if m := fitLine.FindStringSubmatch(text); m != nil {
		f.Deferred, f.Errors = m[1], m[2]
	}
	theta := map[string]string{}
	for _, m := range thetaLine.FindAllStringSubmatch(text, -1) {
		theta[m[1]] = m[2]
	}
	for _, class := range classes {
		f.Thresholds = append(f.Thresholds, theta[class])
	}
	return f
}

// logs writes the fit part of a pair's records as infnet fit reads them.
func logs(t *testing.T, records []result.Record, cascade, dataset string, labels []string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "logs.csv")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := csv.NewWriter(file)
	head := []string{"id", "confidence", "student", "master"}
	if len(labels) > 0 {
		head = append(head, "class")
	}
	rows := [][]string{head}
	for _, x := range records {
		if x.Cascade != cascade || x.Dataset != dataset || x.Part != result.PartFit {
			continue
		}
		s, m := x.Models[0], x.Models[1]
		score := func(e float64) string { return strconv.FormatFloat(1-e, 'g', -1, 64) } // 1 or 0, or soft
		row := []string{x.ID, strconv.FormatFloat(s.Beta, 'g', -1, 64), score(s.Error), score(m.Error)}
		if len(labels) > 0 {
			row = append(row, s.Class)
		}
		rows = append(rows, row)
	}
	// fit counts classes as it meets them; among equally good thresholds the order of classes decides
	slices.SortStableFunc(rows[1:], func(a, b []string) int {
		return slices.Index(labels, a[len(a)-1]) - slices.Index(labels, b[len(b)-1])
	})
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return path
}

// positions is the number of positions of the slider that are compared, of all groups of a page together.
const positions = 40

// Every position of the slider shows what infnet fit prints for its target: errors, deferrals and thresholds.
func TestSliderShowsWhatFitPrints(t *testing.T) {
	b := browsertest.Start(t)
	for name, dir := range map[string]string{"pair": simulated(t), "all tasks": quick(t)} {
		t.Run(name, func(t *testing.T) {
			p := b.Open(address(pageOf(dir)))
			comparePositions(t, p, dir)
			quiet(t, p, address(pageOf(dir)))
		})
	}
}

// comparePositions compares random positions of every group of a page.
func comparePositions(t *testing.T, p *browsertest.Page, dir string) {
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
		file := logs(t, records, g.Cascade, g.Dataset, d.Labels)
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
			single, multi := fit(t, file, shown.Target, d.Labels)
			for _, tt := range []struct {
				form string
				page *fitted
				said fitted
			}{{form: "one threshold", page: shown.Single, said: single}, {form: "per class", page: shown.Multi, said: multi}} {
				if tt.page == nil {
					continue
				}
				compared++
				if tt.page.Errors != tt.said.Errors || tt.page.Deferred != tt.said.Deferred ||
					!slices.Equal(tt.page.Thresholds, tt.said.Thresholds) {
					t.Errorf("%s, target %s, %s: the page shows %+v, infnet fit prints %+v", g.Dataset, shown.Target, tt.form,
						*tt.page, tt.said)
				}
			}
		}
	}
	if compared < positions {
		t.Errorf("only %d forms at %d positions compared", compared, positions)
	}
}
