package pipeline

import (
	"context"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/doctor"
	"infnet/harness/task"
)

// Patient is a model that can be examined.
type Patient struct {
	Name string
	Role string // "embedder", "scorer", "encoder of a baseline"; else the model's kind

	// Examine asks the model. It stores nothing.
	Examine func(context.Context) []backends.Finding
}

// Patients lists every model, and the embedder and the scorer if the study uses them. Servers that the study starts are
// started, each for the examination of its model. Models are examined in this order, one after the other.
func (st *Study) Patients() (list []Patient) {
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
			p.Examine = served(m, p.Examine)
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
				if err == nil {
					_, err = e.Embed(ctx, []string{"the film was long"})
				}
				return asked(err)
			}})
	}
	if scores(st.Spec) {
		add(st.scorer, Patient{st.scorer.Name, "scorer",
			func(ctx context.Context) []backends.Finding {
				scorer, err := openScorer(st)
				if err == nil {
					_, err = scorer.Score(ctx, []backends.Pair{{Source: "the rain falls", Target: "it rains"}})
				}
				return asked(err)
			}})
	}
	return list
}

// asked is the finding on a model whose answer is no text.
func asked(err error) []backends.Finding {
	f := backends.Fine.On("asked", "answers", "")
	if err != nil {
		f = backends.Broken.On("asked", err.Error(), "a run would fail in the same way: fix this first")
	}
	return []backends.Finding{f}
}

// served examines what this machine lacks of what the model's servers need. If nothing is lacking, it starts them,
// examines the model, and stops them.
func served(m *Model,
	examine func(context.Context) []backends.Finding) func(context.Context) []backends.Finding {
	return func(ctx context.Context) (found []backends.Finding) {
		for _, err := range lacks(ctx, m) {
			found = append(found, backends.Broken.On("server", err.Error(), ""))
		}
		if len(found) > 0 {
			return found
		}
		end := begin(ctx, m.study)
		found = examine(ctx)
		if err := end(); err != nil {
			found = append(found, backends.Broken.On("stopped", err.Error(), ""))
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
		p.Context = m.facts.Shape().Context
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
