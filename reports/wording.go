package reports

import (
	"fmt"
	"strconv"
	"strings"

	"infnet/harness/pool"
	"infnet/harness/result"
	"infnet/harness/result/note"
)

// WordNotes writes the sentences of all notes of a study whose caveats are
// known. Results that were read from a file have theirs already.
func WordNotes(s *result.Results) {
	for i := range s.Cascades {
		for j := range s.Cascades[i].Datasets {
			wordDataset(&s.Cascades[i].Datasets[j])
		}
	}
	for i := range s.Pools {
		for j := range s.Pools[i].Datasets {
			wordAll(s.Pools[i].Datasets[j].Notes)
		}
	}
	if s.Published != nil {
		wordPublished(s.Published)
	}
}

func wordPublished(p *result.Published) {
	for _, g := range p.Groups {
		wordAll(g.Differs)
		wordAll(g.Notes)
		for _, r := range g.Rows {
			wordAll(r.Notes)
		}
		for _, x := range g.Tests {
			wordAll(x.Notes)
		}
	}
}

func wordDataset(d *result.Dataset) {
	wordAll(d.Notes)
	for k := range d.Rows {
		wordAll(d.Rows[k].Notes)
	}
	for k := range d.Learned {
		wordRemarks(d.Learned[k].Notes)
	}
	wordRemarks(d.Split.Warnings)
	if d.Form.Caveat != nil {
		d.Form.Text = Sentence(d.Form.Caveat)
	}
	if d.Sufficiency != nil {
		wordAll(d.Sufficiency.Notes)
		wordTests(d.Sufficiency)
	}
}

func wordRemarks(remarks []result.Remark) {
	for i := range remarks {
		if r := &remarks[i]; r.Caveat != nil {
			r.Text = Sentence(r.Caveat)
		}
	}
}

func wordAll(notes []result.Note) {
	for i := range notes {
		if n := &notes[i]; n.Caveat != nil {
			n.Text, n.Line = Sentence(n.Caveat), lineOfCaveat(n.Caveat)
		}
	}
}

// Sentence is the wording of a caveat.
func Sentence(c note.Caveat) string {
	for _, words := range []func(note.Caveat) string{ofDataset, ofRow, ofRival, ofChain, ofLearner, ofPublished} {
		if text := words(c); text != "" {
			return text
		}
	}
	panic(fmt.Sprintf("no wording of %T", c))
}

// lineOfCaveat is a caveat in few words, where its kind alone does not say them.
func lineOfCaveat(c note.Caveat) string {
	switch c := c.(type) {
	case note.Form:
		if len(c.Rising) > 0 {
			return "Among some surer answers the student errs more."
		}
	case note.Rival:
		switch {
		case c.Unheld || !c.Priced:
		case c.Verdict == string(pool.NotWorthIt):
			return "Not cheaper than the best single model, or two mixed at random, of no more error."
		case c.Verdict == string(pool.NotShown):
			return "Not shown to be cheaper than the best single model, or two mixed at random, of no more error."
		}
	case note.Uncalibrated:
		return "Not all fits of the learner were calibrated."
	}
	return ""
}

// shortest writes a number with the fewest digits that name it.
func shortest(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// listWords joins what is said of each.
func listWords[T any](list []T, between string, of func(T) string) string {
	var parts []string
	for _, x := range list {
		parts = append(parts, of(x))
	}
	return strings.Join(parts, between)
}
