package reports

import (
	"strconv"

	"infnet/harness/result"
	"infnet/reports/table"
)

// name gives every table the name of its files and its LaTeX label: short ones, which can be cited, all different. The
// files of a study are in a folder of their own, so that only labels hold the study's name.
func name(s *result.Results, all []table.Table) {
	files := map[string]int{}
	for i := range all {
		t := &all[i]
		t.File = t.Kind
		if files[t.Kind]++; files[t.Kind] > 1 {
			t.File += "-" + strconv.Itoa(files[t.Kind])
		}
		t.Label = "tab:" + table.Segment(s.Name) + "-" + t.File
	}
}
