package analyze

import "strings"

// embedder is what tables call the study's embedder: its name, and of a model
// what it is and in which version.
func (b *Bench) embedder() string {
	e := b.in.Study.Embedder
	if e.Model == nil {
		return e.Name()
	}
	id := b.in.Facts[e.Name()].ID
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
