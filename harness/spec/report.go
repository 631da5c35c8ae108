package spec

import (
	"fmt"
	"slices"

	"infnet/harness/spec/place"
)

// checkReport checks the settings of tables. published lists the labels of the published tables.
func checkReport(f *file, r Report, published []string) Report {
	if r.Published != "" && !slices.Contains(published, r.Published) {
		hint := "there are none"
		if len(published) > 0 {
			hint = place.Suggest(r.Published, published) + " (experiments/paper has a study for each)"
		}
		f.wrong("report.published", fmt.Sprintf("no published table %q", r.Published), hint)
	}
	if f.text.Has("report.caption") && r.Caption == "" {
		r.Caption = " " // empty, which is no caption
	}
	if key, err := r.Check(); err != nil && !f.bad["report."+key] {
		f.wrong("report."+key, err.Error(), "")
	}
	return r
}
