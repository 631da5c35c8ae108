package reports

import (
	"strconv"

	"infnet/harness/result"
	"infnet/reports/table"
)

// name gives every table the name of its files and its LaTeX label: short ones, which can be cited, all different. The
// files of a study are in a folder of their own, so that only labels hold the study's name; the cascade or pool is
// part of them where there are several.
func name(s *result.Results, all []table.Table) {
	several := len(s.Cascades)+len(s.Pools) > 1
	cascades := table.Segments{}
	for i := range s.Cascades {
		cascades.Of(s.Cascades[i].Name) // in the study's order, as figures have it
	}
	files, labels := map[string]bool{"all": true, "tables": true, "notes": true}, map[string]bool{}
	for i := range all {
		t := &all[i]
		file := t.Kind
		if several && t.Of != "" {
			file = cascades.Of(t.Of) + "-" + t.Kind
		}
		t.File = numbered(file, files)
		t.Label = numbered("tab:"+table.Segment(s.Name)+"-"+file, labels)
	}
}

// numbered is a name that was not seen before: "a", "a-2", "a-3".
func numbered(name string, seen map[string]bool) string {
	out := name
	for n := 2; seen[out]; n++ {
		out = name + "-" + strconv.Itoa(n)
	}
	seen[out] = true
	return out
}
