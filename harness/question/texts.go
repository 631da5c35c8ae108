package question

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"infnet/harness/doubt"
	"infnet/harness/split"
)

// Items returns the given examples as split items.
func (s *Sheet) Items(examples []int) []split.Item {
	out := make([]split.Item, len(examples))
	for k, i := range examples {
		e := s.Set.Examples[i]
		out[k] = split.Item{ID: e.ID, Class: e.Class, Group: e.Group}
	}
	return out
}

// Split divides all examples into fit and test part. The split is the same at
// collection and at analysis. study is the study's seed.
func (s *Sheet) Split(study uint64, repeat int) (split.Parts, error) {
	all := make([]int, s.Len())
	for i := range all {
		all[i] = i
	}
	d := s.Dataset
	if d.Split.Column != "" {
		fit, err := s.given()
		if err != nil {
			return split.Parts{}, err
		}
		return split.Given(d.Name, s.Items(all), fit)
	}
	return split.Split(split.Options{
		Seed: study, Name: d.Name, Fit: d.Split.Fit, Order: split.Order(d.Split.Order), Stratify: d.Split.Stratify,
		Repeat: repeat,
	}, s.Items(all))
}

// usualFit are the words of a column that say that a row fits; usualTest those that it tests.
var usualFit, usualTest = []string{"fit", "train"}, []string{"test"}

// given says which examples fit where a column gives the split. Case does not count.
func (s *Sheet) given() ([]bool, error) {
	column, fitIs := s.Dataset.Split.Column, s.Dataset.Split.FitIs
	strict := len(fitIs) == 0
	if strict {
		fitIs = usualFit
	}
	fit := make([]bool, s.Len())
	for i, e := range s.Set.Examples {
		is := func(word string) bool { return strings.EqualFold(word, strings.TrimSpace(e.Part)) }
		switch {
		case slices.ContainsFunc(fitIs, is):
			fit[i] = true
		case strict && !slices.ContainsFunc(usualTest, is):
			return nil, fmt.Errorf("dataset %s: row %d: the column %q says %q, which is neither of the fit part (%s) nor of "+
				"the test part (%s): say which values fit, fit_is = [\"%s\"], and all others test", s.Dataset.Name, e.Row, column,
				e.Part, strings.Join(usualFit, ", "), strings.Join(usualTest, ", "), e.Part)
		}
	}
	return fit, nil
}

// Texts checks the texts of a split for those in both parts. The text of a record is its whole prompt, compared byte
// for byte.
func (s *Sheet) Texts(p split.Parts) doubt.Found {
	texts := make([]string, len(s.Set.Examples))
	for i := range texts {
		digest := sha256.Sum256([]byte(s.rendered(i)))
		texts[i] = string(digest[:16]) // texts need not fit into memory together
	}
	return doubt.Texts(texts, p.Fit, p.Test)
}
