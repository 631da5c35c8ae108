package analyze

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"infnet/harness/confidence"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
)

// answering counts a model's answers: by the model name that the server reported, those
// that came in batch files, and all.
type answering struct {
	by        map[string]int
	batch, of int
}

func (x *answering) add(a *records.Answers, i int) {
	if x.by == nil {
		x.by = map[string]int{}
	}
	head := a.Head(i)
	if x.of++; head.Batch != "" {
		x.batch++
	}
	if head.Model != "" {
		x.by[head.Model]++
	}
}

func (x *answering) responders() (out []result.Responder) {
	for _, name := range slices.Sorted(maps.Keys(x.by)) {
		out = append(out, result.Responder{Name: name, Answers: x.by[name]})
	}
	return out
}

// describeAnswers says what the answers of each model are, and which models gave them.
func describeAnswers(out *result.Results, t records.Table, s *spec.Study) {
	for k, m := range s.Models {
		var x answering
		for _, d := range s.Datasets {
			a := t[records.AnswersID{Model: m.Name, Dataset: d.Name}]
			if a == nil {
				continue
			}
			n, hash := a.Content()
			out.Spec.Answers = append(out.Spec.Answers,
				result.AnswersContent{Model: m.Name, Dataset: d.Name, Answers: n, Hash: hash})
			for i := range a.Len() {
				if a.Cause(i) == "" {
					x.add(a, i)
				}
			}
		}
		to := &out.Models[k]
		to.AnsweredBy, to.Unconfirmed = x.responders(), unconfirmed(to.Unconfirmed, x.batch, x.of)
	}
}

// unconfirmed says why it is not certain who answers, where n of a model's answers came in batch files.
func unconfirmed(known string, n, of int) string {
	const nobody = "came in batch files, where no server can be asked who answers"
	switch {
	case n == 0:
		return known
	case n == of:
		return "all answers " + nobody
	case known != "":
		known += ", and "
	}
	return known + fmt.Sprintf("%d of %d answers ", n, of) + nobody
}

// identities returns notes on what is not certain of models: who answers, how sure they are.
func identities(r *records.Records) (notes []result.Note) {
	var several, doubtful, hidden []string
	for m, name := range r.Cascade.Models {
		var x answering
		sure := 0
		for _, i := range used(r) {
			x.add(r.Models[m].Answers, i)
			if m < r.Last() && confidence.Hidden(r.Models[m].At(i)) {
				sure++
			}
		}
		if 10*sure >= max(x.of, 1) {
			hidden = append(hidden, fmt.Sprintf("%d of %d answers of %s", sure, x.of, name))
		}
		if len(x.by) > 1 {
			var names []string
			for _, who := range x.responders() {
				names = append(names, fmt.Sprintf("%s: %d", who.Name, who.Answers))
			}
			several = append(several, name+" by "+strings.Join(names, ", "))
		}
		if why := unconfirmed(r.Models[m].Facts.Unconfirmed, x.batch, x.of); why != "" {
			doubtful = append(doubtful, name+", as "+why)
		}
	}
	for _, x := range []struct {
		kind note.Kind
		of   []string
		says string
	}{
		{"responders", several, "Answered under more than one name: %s."},
		{"unconfirmed", doubtful, "Not confirmed which model answers: %s."},
		{"hidden", hidden, "Log-probabilities are hidden (0 for what was said, nothing of the rest), so that the " +
			"confidence is 1 and orders nothing: %s."},
	} {
		if x.of != nil {
			notes = append(notes, note.Say(x.kind, x.says, strings.Join(x.of, "; ")))
		}
	}
	return notes
}

// embedder returns the name of the study's embedder in tables, for a model with its
// kind and version.
func embedder(r *records.Records) string {
	if e := r.Study.Embedder; e.Model == nil {
		return e.Name()
	}
	return named(r, r.Study.Embedder.Name())
}

// named returns a model's name with its identity.
func named(r *records.Records, name string) string {
	id := records.FactsOf(r, name).ID
	var what []string
	if id.ID != name {
		what = append(what, id.ID)
	}
	if id.Revision != "" {
		what = append(what, "revision "+id.Revision[:min(12, len(id.Revision))])
	}
	if len(what) == 0 {
		return name
	}
	return name + " (" + strings.Join(what, ", ") + ")"
}

func grader(r *records.Records) string {
	j := r.Study.Judge
	return named(r, j.Model.Name) + ", template " + j.Named()
}
