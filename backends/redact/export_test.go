package redact

// Glance is what a look at a text, and a closer one, say of it.
type Glance struct{ Clear, Marked bool }

// Glances are those for each set of runs.
func Glances(r *Redactor, s string) (out []Glance) {
	for _, runs := range []sizes{r.plain, r.sure, r.whole} {
		out = append(out, Glance{r.clear(s, runs), r.layered(s, runs, false) != nil})
	}
	return out
}
