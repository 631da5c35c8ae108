package figure

import (
	"fmt"
	"path"
	"strings"

	"infnet/harness/result"
	"infnet/reports/table"
)

// name gives every figure its name and its label: short ones, which can be cited, all different. The cascade is part of
// them only where there are several.
func name(s *result.Results, all []Figure) {
	several := len(s.Cascades)+len(s.Pools) > 1
	names, labels := map[string]bool{}, map[string]bool{}
	cascades, datasets := table.Segments{}, table.Segments{}
	for i := range s.Cascades {
		cascades.Of(s.Cascades[i].Name) // in the study's order, as tables have it
		for j := range s.Cascades[i].Datasets {
			datasets.Of(s.Cascades[i].Datasets[j].Name)
		}
	}
	for i := range all {
		f := &all[i]
		var parts []string
		if several && f.Of != "" {
			parts = append(parts, cascades.Of(f.Of))
		}
		if f.Dataset != "" {
			parts = append(parts, datasets.Of(f.Dataset))
		}
		parts = append(parts, f.Kind)
		if f.Part != "" {
			parts[len(parts)-1] += "-" + f.Part
		}
		f.Name = numbered(path.Join(parts...), names)
		f.Label = numbered("fig:"+table.Segment(s.Name)+"-"+strings.Join(parts, "-"), labels)
	}
}

// numbered is a name that was not seen before: "a", "a-2", "a-3".
func numbered(name string, seen map[string]bool) string {
	out := name
	for n := 2; seen[out]; n++ {
		out = fmt.Sprintf("%s-%d", name, n)
	}
	seen[out] = true
	return out
}
