package reports

import (
	"fmt"
	"strings"

	"infnet/harness/result"
	"infnet/reports/table"
)

// estimateNote says which costs rest on tokens that are not known.
func estimateNote(list []result.Estimated) string {
	var parts []string
	for _, e := range list {
		what := "tokens"
		switch {
		case e.Completion == 0:
			what = "prompt tokens"
		case e.Prompt == 0:
			what = "generated tokens"
		}
		parts = append(parts, fmt.Sprintf("%s of %d of %s of %s are not known (not reported, or more than a "+
			"call can take)", what, e.Count,
			plural(e.Answers, "answer"), short(e.Model)))
	}
	return sentence(fmt.Sprintf("%s: estimated as %d characters a token, and costs rest on that",
		strings.Join(parts, "; "), list[0].Characters))
}

// estimates remarks on the datasets of a table whose costs rest on estimates,
// for tables without the datasets' own notes.
func estimates(t *table.Table, datasets []*result.Dataset) {
	for _, d := range datasets {
		if e := d.Counts.Estimated; len(e) > 0 {
			t.Remark(table.Name(d.Name), table.Plain(": "+estimateNote(e)))
		}
	}
}

// all are the datasets of a cascade.
func all(c *result.Cascade) []*result.Dataset {
	out := make([]*result.Dataset, len(c.Datasets))
	for i := range out {
		out[i] = &c.Datasets[i]
	}
	return out
}
