package decisions

import (
	"maps"
	"slices"

	"infnet/backends"
	"infnet/backends/wire"
)

// Hear reads a reply that somebody else asked for: the answer to one question, "" = the only one. labels are the
// options, in order; unless they are exact, those of a choice are the ones that the reply has. It returns them too.
func Hear(body []byte, question string, labels []string, exact bool) (out backends.Answer, options []string,
	f *backends.Failure) {
	all, f := answers(&wire.Reply{Body: body}, "", &out)
	if question == "" && len(all) == 1 {
		question = slices.Collect(maps.Keys(all))[0]
	}
	a, ok := all[question]
	q := asked{form: backends.DecisionForm(a.Type), foreign: true}
	if q.labels = labels; q.form == backends.AsChoice && !exact {
		q.labels = nil
		for _, o := range a.outcomes() {
			q.labels = append(q.labels, o.name)
		}
		slices.Sort(q.labels)
	}
	for _, l := range q.labels {
		q.options = append(q.options, option{name: l})
	}
	switch n := len(q.labels); {
	case f != nil:
	case !ok:
		f = unusable("it answers %d questions, and none is %q", len(all), question)
	case !slices.Contains(backends.DecisionForms(), q.form):
		f = unusable("its answer has the type %.40q", a.Type)
	case n == 0 || q.form == backends.AsNoul && n != 2:
		f = unusable("its answer is of type %q, and %d labels are named", a.Type, n)
	default:
		f = q.read(a, &out)
	}
	return out, q.labels, f
}
