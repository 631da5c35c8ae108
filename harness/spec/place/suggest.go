package place

import (
	"fmt"
	"strings"

	"infnet/harness/choice"
)

// Suggest is the hint for an invalid name: the nearest valid one, or all of them if none is near.
func Suggest(name string, valid []string) string {
	if n := choice.Nearest(name, valid); n != "" {
		if strings.EqualFold(n, name) {
			return fmt.Sprintf("did you mean %q? upper and lower case differ", n)
		}
		return fmt.Sprintf("did you mean %q?", n)
	}
	return "want one of " + strings.Join(valid, ", ")
}
