package nights

import (
	"fmt"
	"math"
	"time"
)

// Share is the level at which the k-th distinct look of a sequence is tested, k from 1:
//
//	α_k = α·6/(π²k²)
//
// The shares of all looks together are α. Each look is a valid test by itself, so the probability that any of them
// rejects a true null is at most α, however many nights there are and however the looks depend on each other.
func Share(alpha float64, k int) float64 {
	return alpha * 6 / (math.Pi * math.Pi * float64(k) * float64(k))
}

// Look is what a night is for the level of its sequence.
type Look struct {
	Number int     // of the look, should it test anything
	Level  float64 // at which to test it: the share of this look
	Like   int     // the first night of this sequence with the same inputs; 0 = none
	Again  *Night  // the night of the same date and the same inputs, which is in the history already; nil = none
	Note   string  // what a reader should know of the place of this night in the history; "" = nothing
}

// Plan says which look tonight is, and at which level it is tested, by what it is: study, date, run, accepted run,
// inputs and level of the sequence. It fails where tonight does not fit the history.
func (h *History) Plan(t Night) (Look, error) {
	if err := h.fits(t); err != nil {
		return Look{}, err
	}
	most := 0
	var found Look
	for i := range h.Nights {
		n := &h.Nights[i]
		if n.Accepted != t.Accepted {
			continue
		}
		most = max(most, n.Look)
		if n.Inputs != t.Inputs || n.Verdict == Incomplete && n.Look == 0 {
			continue
		}
		if found.Like == 0 {
			found.Like, found.Number = n.Number, n.Look
		}
		if n.Date == t.Date && n.Run == t.Run {
			found.Again = n
		}
	}
	if found.Number == 0 {
		found.Number = most + 1
	}
	found.Level = Share(t.Alpha, found.Number)
	found.Note = h.place(t, found)
	return found, nil
}

// place says in words what is special about tonight's place in the history.
func (h *History) place(t Night, l Look) string {
	if len(h.Nights) == 0 {
		if t.Since == "" || t.Since >= t.Date {
			return ""
		}
		return fmt.Sprintf("%s begins tonight, and the run was accepted on %s: if there were nights before, restore the "+
			"file, because without it their looks are not counted", h.Path, t.Since)
	}
	last := h.Nights[len(h.Nights)-1]
	if l.Again != nil {
		return fmt.Sprintf("the run of %s is in the history already, as night %d: no line is added", t.Date, l.Again.Number)
	}
	if last.Date == t.Date {
		return fmt.Sprintf("another run of %s is in the history, as night %d: both are kept, and each counts as a "+
			"look if its inputs are new", t.Date, last.Number)
	}
	from, _ := time.Parse(time.DateOnly, last.Date) // both were checked
	if to, _ := time.Parse(time.DateOnly, t.Date); to.Sub(from) > 36*time.Hour {
		return fmt.Sprintf("no run between %s and %s: a night left out costs nothing of the level", last.Date, t.Date)
	}
	return ""
}

// fits refuses a night that does not belong to the history.
func (h *History) fits(t Night) error {
	if len(h.Nights) == 0 {
		return nil
	}
	first, last := h.Nights[0], h.Nights[len(h.Nights)-1]
	if first.Study != t.Study {
		return fmt.Errorf("%s is the history of study %q, and this run is of %q: name another file, one for each study: %w",
			h.Path, first.Study, t.Study, ErrHistory)
	}
	if t.Date < last.Date {
		return fmt.Errorf("%s ends with the night of %s, and this run is dated %s: nights are appended in order; "+
			"correct --date or the machine's clock; if the date in the file is the wrong one, restore a copy from before it",
			h.Path, last.Date, t.Date)
	}
	for _, n := range h.Nights {
		if n.Accepted == t.Accepted && n.Alpha != t.Alpha {
			return fmt.Errorf("%s: this accepted run has been compared at a level of %v since %s, and now the level is %v: "+
				"the level is chosen before the first night; give the same, or begin another history", h.Path, n.Alpha, n.Date,
				t.Alpha)
		}
	}
	return nil
}
