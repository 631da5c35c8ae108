package analyze

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/result"
	"infnet/harness/spec"
)

// answeredBy counts a model's answers by the names of who gave them, where
// their servers said so.
func (t table) answeredBy(s *spec.Study, model string) []result.Responder {
	by := map[string]int{}
	for _, d := range s.Datasets {
		if c := t[columnID{model, d.Name}]; c != nil {
			tally(by, c.answers)
		}
	}
	return responders(by)
}

func tally(by map[string]int, answers []*backends.Answer) {
	for _, a := range answers {
		if a != nil && a.Model != "" {
			by[a.Model]++
		}
	}
}

func responders(by map[string]int) (out []result.Responder) {
	for _, name := range slices.Sorted(maps.Keys(by)) {
		out = append(out, result.Responder{Name: name, Answers: by[name]})
	}
	return out
}

// identities notes what is not certain of who gave the answers that the numbers
// rest on.
func (b *Bench) identities() {
	note := func(kind string, list []string, text string) {
		if len(list) > 0 {
			b.out.Notes = append(b.out.Notes, result.Note{Kind: kind, Text: text + strings.Join(list, "; ") + "."})
		}
	}
	var old, several, unconfirmed []string
	for m, name := range b.Cascade.Models {
		n, by := 0, map[string]int{}
		for i, used := range b.used {
			if !used {
				continue
			}
			if b.cols[m].old[i] {
				n++
			}
			tally(by, b.cols[m].answers[i:i+1])
		}
		if n > 0 {
			old = append(old, fmt.Sprintf("%s (%d)", name, n))
		}
		if len(by) > 1 {
			var parts []string
			for _, r := range responders(by) {
				parts = append(parts, fmt.Sprintf("%s: %d", r.Name, r.Answers))
			}
			several = append(several, name+" by "+strings.Join(parts, ", "))
		}
		if why := b.in.Models[name].Unconfirmed; why != "" {
			unconfirmed = append(unconfirmed, name+", as "+why)
		}
	}
	note("unrecorded", old, "Answers stored before the name by which the server knows the model was part of their key, and counted as the model's: ")
	note("responders", several, "Answered under more than one name: ")
	note("unconfirmed", unconfirmed, "Not confirmed which model answers: ")
}
