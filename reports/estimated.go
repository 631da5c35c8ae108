package reports

import (
	"fmt"
	"strings"

	"infnet/harness/result"
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
