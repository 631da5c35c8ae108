package analyze

import (
	"maps"
	"slices"

	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
)

// answeredBy counts a model's answers by the model name that the server reported.
func answeredBy(t records.Table, s *spec.Study, model string) []result.Responder {
	by := map[string]int{}
	for _, d := range s.Datasets {
		if a := t[records.AnswersID{Model: model, Dataset: d.Name}]; a != nil {
			for i := range a.Len() {
				tally(by, a, i)
			}
		}
	}
	return responders(by)
}

func tally(by map[string]int, answers *records.Answers, i int) {
	if name := answers.Head(i).Model; name != "" {
		by[name]++
	}
}

func responders(by map[string]int) (out []result.Responder) {
	for _, name := range slices.Sorted(maps.Keys(by)) {
		out = append(out, result.Responder{Name: name, Answers: by[name]})
	}
	return out
}

// identities returns notes on models whose identity is uncertain.
func identities(r *records.Records) (notes []result.Note) {
	var old note.Unrecorded
	var several note.Responders
	var unconfirmed note.Unconfirmed
	for m, name := range r.Cascade.Models {
		n, by := 0, map[string]int{}
		for i, used := range r.Used {
			if !used {
				continue
			}
			if r.Models[m].Old[i] {
				n++
			}
			tally(by, r.Models[m].Answers, i)
		}
		if n > 0 {
			old.Models = append(old.Models, note.Counted{Name: name, Count: n})
		}
		if len(by) > 1 {
			names := note.Names{Model: name}
			for _, x := range responders(by) {
				names.Names = append(names.Names, note.Counted{Name: x.Name, Count: x.Answers})
			}
			several.Models = append(several.Models, names)
		}
		if why := r.Models[m].Facts.Unconfirmed; why != "" {
			unconfirmed.Models = append(unconfirmed.Models, note.Doubtful{Model: name, Why: why})
		}
	}
	if old.Models != nil {
		notes = append(notes, result.NewNote(old))
	}
	if several.Models != nil {
		notes = append(notes, result.NewNote(several))
	}
	if unconfirmed.Models != nil {
		notes = append(notes, result.NewNote(unconfirmed))
	}
	return notes
}
