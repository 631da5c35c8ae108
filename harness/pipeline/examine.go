package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/doctor"
	learn "infnet/harness/router"
	"infnet/harness/task"
)

// Patient is a model that can be examined.
type Patient struct {
	Name string
	Role string // "embedder", "scorer", "encoder of a baseline"; else the model's kind

	// Examine asks the model. It stores nothing.
	Examine func(context.Context) []backends.Finding
}

// ThisMachine is the name of the patient that is no model.
const ThisMachine = "this machine"

// Patients lists this machine if the study starts servers on it, every model, and the embedder, the scorer and the
// programs of baselines if the study uses them. Servers are started only if start is set: each for
// the examination of its model. Models are examined in this order, one after the other.
func (st *Study) Patients(start bool) (list []Patient) {
	n := &doctor.Needs{}
	if launched := launched(st); len(launched) > 0 {
		list = append(list, Patient{ThisMachine, "what the servers of the study need",
			func(ctx context.Context) []backends.Finding {
				var servers []doctor.Server
				for _, m := range launched {
					servers = append(servers, doctor.Server{Launch: m.launch(), Load: load(m)})
				}
				return n.Machine(ctx, servers, len(st.fetcher.missing))
			}})
	}
	add := func(m *Model, p Patient) {
		examine := p.Examine
		p.Examine = func(ctx context.Context) []backends.Finding {
			i := slices.IndexFunc(st.fetcher.missing, func(x Missing) bool { return x.What == "model "+p.Name })
			if i < 0 {
				return examine(ctx)
			}
			return []backends.Finding{{Verdict: backends.Unknown, Question: "weights", Found: "on the hub, and not on this " +
				"machine: " + st.fetcher.missing[i].Ref, Fix: "infnet collect fetches them"}}
		}
		if m != nil && m.launch() != nil {
			p.Examine = served(n, m, start, p.Examine)
		}
		list = append(list, p)
	}
	for _, m := range st.Models {
		add(m, Patient{m.Name, string(m.Config.Model.Kind),
			func(ctx context.Context) []backends.Finding { return examine(ctx, m) }})
	}
	if embeds(st.Spec) {
		add(st.embedder, Patient{st.Spec.Embedder.Name(), "embedder",
			func(ctx context.Context) []backends.Finding {
				e, err := openEmbedder(st)
				return []backends.Finding{doctor.Embeddings(ctx, e, err)}
			}})
	}
	if scores(st.Spec) {
		add(st.scorer, Patient{st.scorer.Name, "scorer",
			func(ctx context.Context) []backends.Finding {
				scorer, err := openScorer(st)
				return []backends.Finding{doctor.Scores(ctx, scorer, err)}
			}})
	}
	found := func(what string, err error, fix string) []backends.Finding {
		if err != nil {
			return []backends.Finding{{Verdict: backends.Broken, Question: "found", Found: err.Error(), Fix: fix}}
		}
		return []backends.Finding{{Question: "found", Found: what}}
	}
	for _, b := range st.Spec.Baselines {
		if b.Learner != learn.Command || slices.ContainsFunc(list, func(p Patient) bool { return p.Name == b.Program() }) {
			continue
		}
		list = append(list, Patient{b.Program(), "program of a baseline", func(context.Context) []backends.Finding {
			l, err := learner(st, b)
			if err != nil {
				return found("", err, `correct command, or take learner = "light"`)
			}
			return found(l.Key, nil, "")
		}})
	}
	for _, d := range st.Datasets {
		if d.grader != nil {
			list = append(list, Patient{d.Correct.Program(), "program that grades", func(context.Context) []backends.Finding {
				return found(d.grader.ID().Revision, d.grader.Ready(), "correct command")
			}})
		}
	}
	return list
}

// served examines what the model's servers need. If start is set and nothing is broken, it starts them, examines
// the model, and stops them.
func served(n *doctor.Needs, m *Model, start bool,
	examine func(context.Context) []backends.Finding) func(context.Context) []backends.Finding {
	return func(ctx context.Context) []backends.Finding {
		found := n.Model(ctx, doctor.Server{Launch: m.launch(), Load: load(m)})
		f := backends.Finding{Verdict: backends.Unknown, Question: "answers"}
		switch {
		case slices.ContainsFunc(found, func(f backends.Finding) bool { return f.Verdict == backends.Broken }):
			f.Found = "its server is not started: see ✗"
			return append(found, f)
		case !start:
			f.Found, f.Fix = "its server was not started", "infnet doctor --start starts it, asks it, and stops it"
			return append(found, f)
		}
		end := begin(ctx, m.study)
		if err := m.study.session.fleet.Sweep(ctx); err != nil {
			found = append(found, backends.Finding{Verdict: backends.Broken, Question: "servers", Found: err.Error()})
		} else {
			found = append(found, examine(ctx)...)
		}
		if err := end(); err != nil {
			found = append(found, backends.Finding{Verdict: backends.Broken, Question: "stopped", Found: err.Error()})
		}
		return found
	}
}

// examine opens the model and examines it.
func examine(ctx context.Context, m *Model) []backends.Finding {
	st := m.study
	var found []backends.Finding
	p := doctor.Patient{Exam: backends.Examination{Mode: m.Mode}, Floor: st.Spec.Confidence.LabelMass}
	if m.facts != nil {
		shape := m.facts.Shape()
		p.Context = shape.Context
		found = append(found, backends.Finding{Question: "weights",
			Found: fmt.Sprintf("%s, %.3g million parameters, content %.12s…", m.Path, 1e3*shape.Params, m.known.ID.Revision)})
	}
	for _, d := range st.Datasets {
		if !m.canAnswer(d) {
			continue
		}
		p.Exam.Student = p.Exam.Student || m.defersOn(d)
		trial := doctor.Trial{Dataset: d.Name, Question: m.request(d, 0), Thinks: len(d.Answer) > 0}
		for i := range d.Sheet.Len() {
			if prompt := m.request(d, i).Shown(); len(prompt) > len(trial.Longest) {
				trial.Longest = prompt
			}
		}
		if d.Task == task.Classification {
			p.Exam.Labels = append(p.Exam.Labels, trial.Question.Labels)
			found = append(found, labelTokens(m, d, trial.Question.Prompt)...)
		}
		p.Trials = append(p.Trials, trial)
	}
	model, err := m.Open()
	if err != nil {
		return append(found, backends.Finding{Verdict: backends.Broken, Question: "opened", Found: err.Error()})
	}
	p.Model = model
	return append(found, doctor.Examine(ctx, p)...)
}

// labelTokens reports whether an in-process model can distinguish a dataset's labels by their first
// tokens; backends check their servers themselves.
func labelTokens(m *Model, d *Dataset, prompt string) []backends.Finding {
	if m.facts == nil || m.Mode != backends.Raw {
		return nil
	}
	f := backends.Finding{Question: "label tokens",
		Found: d.Name + ": " + strings.Join(d.Continuations(), ",") + ": distinct"}
	if err := m.facts.CheckLabels(prompt, d.Continuations()); err != nil {
		f = backends.Finding{Verdict: backends.Broken, Question: f.Question, Found: d.Name + ": " + err.Error(),
			Fix: "words that begin differently"}
	}
	return []backends.Finding{f}
}
