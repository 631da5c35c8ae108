// Package nights keeps the history of a study that is compared with its accepted run every night, and divides the
// probability of a false alarm over as many nights as there will be.
//
// It owns the history file, which night is a new look and at which level it is tested. It refuses to compare runs,
// which is package compare's work, to print, and to go on with a history that is damaged or belongs to another study.
//
// Its opinion: an alarm that comes by chance once in twenty nights is turned off within a month. So the level is one of
// the whole sequence: the probability of ever alarming, however many nights there are, while nothing is worse in the
// population. HISTORY.md describes the file and the simulation behind the promise.
package nights

import (
	"errors"
	"fmt"
	"math"
)

// Version is the version of the history's lines. Readers refuse every other one.
const Version = 3

// Look is one line of a history: a test of inputs that no night before had.
type Look struct {
	Version int    `json:"version"`
	Study   string `json:"study"`
	Date    string `json:"date"` // 2006-01-02, of the first such night

	// Accepted identifies what was accepted. It is empty where a night is compared with a run that nobody accepted, which
	// may be another one every night. Looks of one Accepted are a sequence, and the level is one of the sequence.
	Accepted string  `json:"accepted,omitempty"`
	Inputs   string  `json:"inputs"` // of this night, likewise
	Alpha    float64 `json:"alpha"`  // of the whole sequence

	Number  int     `json:"look"`  // within the sequence, from 1
	Level   float64 `json:"level"` // at which it was tested
	Verdict string  `json:"verdict"`

	Sum string `json:"sum"` // of the line before and this one, without its sum
}

// ErrHistory is what is wrong with a history being its content: damaged, of another version, of another study. It does
// not go away by trying again.
var ErrHistory = errors.New("the history cannot be gone on with")

// Share is the level at which the k-th distinct look of a sequence is tested, k from 1:
//
//	α_k = α·6/(π²k²)
//
// The shares of all looks together are α. Each look is a valid test by itself, so the probability that any of them
// rejects a true null is at most α, however many nights there are and however the looks depend on each other.
func Share(alpha float64, k int) float64 {
	return alpha * 6 / (math.Pi * math.Pi * float64(k) * float64(k))
}

// Plan returns tonight, of which study, accepted run, inputs and level of the sequence are known, with its number and
// level: those of the earlier look with the same inputs, which is then told, or of the next one. It fails where tonight
// does not fit the history.
func (h *History) Plan(tonight Look) (look Look, before bool, err error) {
	tonight.Number = 1
	for _, l := range h.Looks {
		switch {
		case l.Study != tonight.Study:
			return look, false, fmt.Errorf("%s is the history of study %q, and this run is of %q: name another file, one for "+
				"each study: %w", h.Path, l.Study, tonight.Study, ErrHistory)
		case l.Accepted != tonight.Accepted:
			continue
		case l.Alpha != tonight.Alpha:
			return look, false, fmt.Errorf("%s: this accepted run has been compared at a level of %v since %s, and now the "+
				"level is %v: the level is chosen before the first night; give the same, or begin another history", h.Path,
				l.Alpha, l.Date, tonight.Alpha)
		case l.Inputs == tonight.Inputs:
			tonight.Number, tonight.Level = l.Number, l.Level
			return tonight, true, nil
		}
		tonight.Number = l.Number + 1
	}
	tonight.Level = Share(tonight.Alpha, tonight.Number)
	return tonight, false, nil
}
