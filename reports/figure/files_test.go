package figure

import (
	"testing"

	"infnet/harness/result"
)

// Cascades and datasets that begin alike have folders of their own, numbered in the study's order even where a cascade
// has no figures: as its tables are.
func TestFoldersAreToldApart(t *testing.T) {
	const student = "a-student-whose-name-is-longer-than-40-letters"
	s := &result.Results{Name: "study"}
	for _, master := range []string{"+none", "+one", "+two"} {
		s.Cascades = append(s.Cascades, result.Cascade{Name: student + master,
			Datasets: []result.Dataset{{Name: "d.1"}, {Name: "d-1"}}})
	}
	all := []Figure{
		{Of: student + "+two", Dataset: "d-1", Kind: "frontier"},
		{Of: student + "+one", Dataset: "d.1", Kind: "frontier"},
		{Of: student + "+one", Dataset: "d-1", Kind: "frontier"},
		{Of: student + "+one", Kind: "frontier"},
	}
	name(s, all)
	const folder = "a-student-whose-name-is-longer-than-40-l"
	for i, want := range []string{folder + "-3/d-1-2/frontier", folder + "-2/d-1/frontier", folder + "-2/d-1-2/frontier",
		folder + "-2/frontier"} {
		if all[i].Name != want {
			t.Errorf("%s of %s is %s, want %s", all[i].Dataset, all[i].Of, all[i].Name, want)
		}
	}
}
