package analyze

import (
	"strings"

	"infnet/harness/records"
)

// embedder returns the name of the study's embedder in tables, for a model with its
// kind and version.
func embedder(r *records.Records) string {
	e := r.Study.Embedder
	if e.Model == nil {
		return e.Name()
	}
	id := records.FactsOf(r, e.Name()).ID
	revision := id.Revision
	if len(revision) > 12 {
		revision = revision[:12]
	}
	var what []string
	if id.ID != e.Name() {
		what = append(what, id.ID)
	}
	if revision != "" {
		what = append(what, "revision "+revision)
	}
	if len(what) == 0 {
		return e.Name()
	}
	return e.Name() + " (" + strings.Join(what, ", ") + ")"
}
