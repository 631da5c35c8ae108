package spec

import (
	"cmp"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/router"
	"infnet/harness/spec/place"
)

// checkBaselines checks the baselines of a study, adds those that every study
// has, and puts them in the order of package baseline's table.
func checkBaselines(f *file, raw []Baseline, instead replacements) []Baseline {
	out := []Baseline{}
	seen := map[string]int{}
	written := map[baseline.Kind]bool{}
	for i, b := range raw {
		at, before := place.Element("baselines", i), len(f.problems)
		written[b.Kind] = true
		checkBaseline(f, at, &b, instead)
		if len(f.problems) > before || b.Kind == "" || f.faulty(at) {
			continue
		}
		alike := b // rows are told apart by the programs' names
		alike.Command = []string{b.Program()}
		row := fmt.Sprintf("%+v", alike)
		if j, again := seen[row]; again {
			f.wrong(at+".kind", fmt.Sprintf("the same baseline as baselines[%d]", j), "name it once")
			continue
		}
		seen[row] = i
		out = append(out, b)
	}
	for _, known := range baseline.Table() {
		if known.Always && !written[known.Kind] {
			b := Baseline{}
			fill(reflect.ValueOf(&b).Elem())
			b.Kind = known.Kind
			decoder{f}.conditions("", reflect.ValueOf(&b).Elem())
			checkBaseline(f, "", &b, nil)
			out = append(out, b)
		}
	}
	slices.SortStableFunc(out, func(a, b Baseline) int {
		return cmp.Compare(baseline.Place(a.Kind), baseline.Place(b.Kind))
	})
	return out
}

// usualDraws is how many draws of random baselines are averaged.
const usualDraws = 1000

func checkBaseline(f *file, at string, b *Baseline, instead replacements) {
	known := baseline.Of(b.Kind)
	if known.Coin {
		b.Draws = usualDraws
	}
	if seed := b.RNG; seed != "" && seed != "seed" {
		digits, ok := strings.CutPrefix(seed, "numpy:")
		var err error
		if b.NumpySeed, err = strconv.ParseUint(digits, 10, 64); !ok || err != nil {
			f.wrong(at+".rng", fmt.Sprintf("unknown generator %q", seed), "want seed, or numpy:42 for numpy's default_rng(42)")
		}
		b.Numpy, b.Draws = true, 1
	}
	if at += ".command"; f.text.Has(at) && (len(b.Command) == 0 || slices.Contains(b.Command, "")) {
		f.wrong(at, "a word of the program is missing", "command = [\"python3\", \"learn.py\"]")
	}
	if b.Learner = instead.learner(b.Learner); b.Learner != router.Command {
		b.Command = nil
	}
	b.Released = b.Compat == "released"
	b.RNG, b.Compat = "", ""
}

// Rules returns the options of a baseline that learns.
func (b Baseline) Rules() baseline.Rules {
	return baseline.Rules{Released: b.Released, Delta: b.Delta, Relative: b.Released}
}

// Quality reports whether the baseline learns from the quality of answers.
func (b Baseline) Quality() bool { return slices.Contains(baseline.Droppers(), b.Kind) }

// Embeds reports whether some baseline's learner looks at embeddings of the
// inputs, which are then collected.
func (s *Study) Embeds() bool {
	return slices.ContainsFunc(s.Baselines, func(b Baseline) bool { return b.Kind.Embeds() })
}

// Program is what tables call a command: the first file that its words name, without its ending, or the program.
func (b Baseline) Program() string { return programName(b.Command) }

func programName(words []string) string {
	if len(words) == 0 {
		return ""
	}
	name := words[max(0, slices.IndexFunc(words, func(w string) bool {
		return strings.Contains(filepath.Base(w), ".") || strings.ContainsRune(w, '/')
	}))]
	return strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
}
