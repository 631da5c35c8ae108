package spec

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/choice"
	"infnet/harness/router"
)

// Compat says whether a baseline follows the paper or its authors' code where the two differ.
type Compat string

// The compats.
const (
	ByPaper  Compat = "none"     // as the paper describes it
	Released Compat = "released" // as the authors' code does it, in what is documented of each baseline
)

// UnmarshalText accepts a compat's name.
func (c *Compat) UnmarshalText(b []byte) error {
	return choice.Decode(c, b, "compat", []Compat{ByPaper, Released})
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
	return slices.ContainsFunc(s.Baselines, func(b Baseline) bool { return b.Learner == router.GBDT || b.Kind.Embeds() })
}

// Program is what tables call a command: the first file that its words name, without its ending, or the program.
func (b Baseline) Program() string { return programName(b.Command) }

func programName(words []string) string {
	name := ""
	for _, w := range words {
		if strings.Contains(filepath.Base(w), ".") || strings.ContainsRune(w, '/') {
			name = w
			break
		}
	}
	if name == "" && len(words) > 0 {
		name = words[0]
	}
	return strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
}

// checkLearned checks the keys of a baseline that learns.
func checkLearned(f *file, at string, r rawBaseline, b *Baseline, instead replacements) {
	if slices.Contains(baseline.Taught(), b.Kind) {
		checkTaught(f, at, r, b, instead)
	}
	if b.Quality() {
		b.Delta = or(r.Delta, baseline.UsualDelta)
		return
	}
	if r.Delta != nil {
		f.wrong(at+".delta", fmt.Sprintf("%s has no delta: its constraint is the cost of our policy", b.Kind),
			"leave it out; delta is for "+choice.And(baseline.Droppers()))
	}
}

// checkTaught checks the keys of a baseline whose learner the study chooses.
func checkTaught(f *file, at string, r rawBaseline, b *Baseline, instead replacements) {
	if b.Learner = instead.learner(r); b.Learner == router.Command {
		b.Command = r.Command
	}
	b.Released = or(r.Compat, ByPaper) == Released
	switch own := or(r.Learner, router.Light); {
	case own == router.Command && (len(r.Command) == 0 || slices.Contains(r.Command, "")):
		f.missing(at, "command", "learner = \"command\" runs a program: command = [\"python3\", \"learn.py\"]")
	case own != router.Command && r.Command != nil:
		f.wrong(at+".command", fmt.Sprintf("the learner %s has no program", own),
			"write learner = \"command\", or leave command out")
	}
}
