package result

import (
	"fmt"
	"slices"
	"strings"

	"infnet/metrics/infer"
	"infnet/sufficiency"
)

// Signals says what tells a student's right answers from its wrong ones, and what each such signal is worth.
type Signals struct {
	Rows  []Signal `json:"rows"`            // β of the study first, then the signals, then their combination
	Adds  []Added  `json:"adds,omitempty"`  // every ordered pair of the signals that cost nothing
	Alpha float64  `json:"alpha,omitempty"` // level of the tests of Adds
	Fit   int      `json:"fit"`             // records that thresholds, the combination and the tests of Adds are of
}

// Signal is a score of the student's answers, measured on the test part.
type Signal struct {
	Name    string `json:"name"`
	Kind    string `json:"kind,omitempty"`    // "" = β of the study, or the combination
	Missing string `json:"missing,omitempty"` // why it cannot be had; its numbers are then 0
	// where two samples say the same, if that is by embeddings
	Relation string `json:"relation,omitempty"`
	// what its calls cost a query, in percent of the master's cost; 0 = it comes with the answer
	Overhead float64 `json:"overhead_pct"`

	AUROC infer.Interval  `json:"auroc"`           // of "the student is right"; N = 0: its answers are of one kind
	Beats *infer.Interval `json:"beats,omitempty"` // AUROC less that of β; nil = of β itself, or there is no AUROC
	AURC  infer.Interval  `json:"aurc"`
	Above infer.Interval  `json:"e_aurc"` // AURC less the least of any order

	// of a threshold on it, fitted to the study's budget as that of β is
	Error infer.Interval `json:"error"`
	Saved infer.Interval `json:"saved_pct"`

	// against the study's policy on β, both with thresholds from the fit part; nil = of β itself, or nothing is saved
	SavedAtError *Beside `json:"saved_at_equal_error,omitempty"` // its saving less that of β, in points
	ErrorAtCost  *Beside `json:"error_at_equal_cost,omitempty"`  // its error less that of β
}

// Beside is a difference of two policies where they are alike in one thing on the fit part, measured on the test part.
type Beside struct {
	infer.Interval
	Alike   infer.Interval `json:"alike"`                  // how far they differ in that thing on the test part
	Clipped bool           `json:"out_of_reach,omitempty"` // no threshold on the signal comes so far: it stands at its nearest end
}

// Added says whether a signal tells more of "student wrong, master right" once another one is known: a test on the fit
// part, and what it is worth on the test part.
type Added struct {
	Given string            `json:"given"` // the signal that is known
	Adds  string            `json:"adds"`  // the one that is tested
	State sufficiency.State `json:"state"`
	P     float64           `json:"p"`      // 0 where it was not tested
	Holm  float64           `json:"p_holm"` // adjusted over all pairs of the study
	R2    infer.Interval    `json:"r2"`     // share of the variance of the difference of errors that trees gain by it
	Notes []string          `json:"notes,omitempty"`
	// saving of a threshold on the combination of both, less that of one on Given at its error, in points of the master's
	// cost; nil = they are one signal, or nothing is saved
	Value *Beside `json:"value,omitempty"`
}

// Tested reports whether the pair has a p-value, be it valid or not.
func (a *Added) Tested() bool {
	return a.State == sufficiency.Tested || a.State == sufficiency.Undecided
}

// Verdict is what the test of a pair says, at a level.
func (a *Added) Verdict(alpha float64) string {
	switch {
	case a.State == sufficiency.Tested && a.Holm <= alpha:
		return Adds
	case a.State == sufficiency.Tested:
		return NotShown
	case a.State == sufficiency.Determined:
		return Determined
	}
	return string(a.State)
}

// The verdicts of pairs that could be tested, or need not be; others are their state.
const (
	Adds       = "adds"
	NotShown   = "not shown"
	Determined = "determined"
)

// Known are the signals of the pairs, in order.
func (s *Signals) Known() (names []string) {
	for _, a := range s.Adds {
		if !slices.Contains(names, a.Given) {
			names = append(names, a.Given)
		}
	}
	return names
}

// Lacking says which signals the answers of the student do not have, and why; "" = they have all.
func (s *Signals) Lacking() string {
	var causes []string
	names := map[string][]string{}
	for _, x := range s.Rows {
		if x.Missing == "" {
			continue
		}
		if names[x.Missing] == nil {
			causes = append(causes, x.Missing)
		}
		names[x.Missing] = append(names[x.Missing], x.Name)
	}
	for i, cause := range causes {
		causes[i] = fmt.Sprintf("%s (%s)", strings.Join(names[cause], ", "), cause)
	}
	return strings.Join(causes, "; ")
}
