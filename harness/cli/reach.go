package cli

import (
	"io"
	"strings"

	"infnet/harness/spec"
)

// showReach says what a study may do on this machine beyond asking models: nothing for one that stays within its
// folder and this process.
func showReach(w io.Writer, r spec.Reach) {
	for _, p := range r.Programs {
		prose(w, "  It starts a program: %s", clean(p))
	}
	for _, f := range r.Files {
		prose(w, "  It reads a file outside its folder: %s", clean(f))
	}
	for _, to := range r.Sends {
		with := ""
		if len(to.Variables) > 0 {
			with = ", with the value of " + strings.Join(to.Variables, ", ")
		}
		prose(w, "  It talks to %s%s", clean(to.Host), clean(with))
	}
}
