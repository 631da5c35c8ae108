package pipeline

import (
	"context"
	"fmt"
	"math"
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
	n := &needs{study: st}
	if len(st.launched()) > 0 {
		list = append(list, Patient{ThisMachine, "what the servers of the study need", n.machine})
	}
	add := func(m *Model, p Patient) {
		if m != nil && m.launch() != nil {
			p.Examine = n.served(m, start, p.Examine)
		}
		list = append(list, p)
	}
	for _, m := range st.Models {
		add(m, Patient{m.Name, string(m.Config.Model.Kind), examination{m}.run})
	}
	if embeds(st.Spec) {
		add(st.embedder, Patient{st.Spec.Embedder.Name(), "embedder",
			func(ctx context.Context) []backends.Finding { return examineEmbedder(ctx, st) }})
	}
	if scores(st.Spec) {
		add(st.scorer, Patient{st.scorer.Name, "scorer",
			func(ctx context.Context) []backends.Finding { return examineScorer(ctx, st) }})
	}
	for _, b := range st.Spec.Baselines {
		if b.Learner != learn.Command || slices.ContainsFunc(list, func(p Patient) bool { return p.Name == b.Program() }) {
			continue
		}
		list = append(list, Patient{b.Program(), "program of a baseline", func(context.Context) []backends.Finding {
			l, err := st.learner(b)
			if err != nil {
				return []backends.Finding{{Verdict: backends.Broken, Question: "found", Found: err.Error(),
					Fix: `correct command, or take learner = "light"`}}
			}
			return []backends.Finding{{Question: "found", Found: l.Key()}}
		}})
	}
	return list
}

// notDownloaded is the finding for a hub model whose folder is not on this machine; nil for others.
func notDownloaded(st *Study, model string) []backends.Finding {
	i := slices.IndexFunc(st.fetcher.missing, func(x Missing) bool { return x.What == "model "+model })
	if i < 0 {
		return nil
	}
	return []backends.Finding{{
		Verdict: backends.Unknown, Question: "weights", Found: "on the hub, and not on this machine: " +
			st.fetcher.missing[i].Ref, Fix: "infnet collect fetches them",
	}}
}

// examination is a model being examined.
type examination struct{ *Model }

// run opens the model and examines it.
func (m examination) run(ctx context.Context) []backends.Finding {
	st := m.study
	if found := notDownloaded(st, m.Name); found != nil {
		return found
	}
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
		trial := doctor.Trial{Dataset: d.Name, Question: m.request(d, 0)}
		for i := range d.Sheet.Len() {
			if prompt := m.request(d, i).Prompt; len(prompt) > len(trial.Longest) {
				trial.Longest = prompt
			}
		}
		if d.Task == task.Classification {
			p.Exam.Labels = append(p.Exam.Labels, trial.Question.Labels)
			found = append(found, m.labelTokens(d, trial.Question.Prompt)...)
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
func (m examination) labelTokens(d *Dataset, prompt string) []backends.Finding {
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

// examineEmbedder embeds two texts, one of them twice.
func examineEmbedder(ctx context.Context, st *Study) []backends.Finding {
	bad := func(text string) []backends.Finding {
		return []backends.Finding{{Verdict: backends.Broken, Question: "embeddings", Found: text}}
	}
	if m := st.embedder; m != nil {
		if found := notDownloaded(st, m.Name); found != nil {
			return found
		}
	}
	e, err := texts{st}.openEmbedder()
	if err != nil {
		return bad(err.Error())
	}
	texts := []string{"the film was long", "la pluie tombe", "the film was long"}
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return bad(err.Error())
	}
	if len(vectors) != len(texts) {
		return bad(fmt.Sprintf("%d vectors for %d texts", len(vectors), len(texts)))
	}
	for _, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return bad(fmt.Sprintf("vectors of %d and of %d numbers", len(vectors[0]), len(v)))
		}
	}
	same, other := 0.0, 0.0
	for i := range vectors[0] {
		same = max(same, math.Abs(float64(vectors[0][i]-vectors[2][i])))
		other = max(other, math.Abs(float64(vectors[0][i]-vectors[1][i])))
	}
	switch {
	case math.IsNaN(same + other):
		return bad("a vector holds what is no number")
	case other == 0:
		return bad("two texts have the same vector")
	case same > 0:
		return []backends.Finding{{Verdict: backends.Doubt, Question: "embeddings",
			Found: fmt.Sprintf("%d dimensions; the same text twice differs by up to %.2g", len(vectors[0]), same)}}
	}
	return []backends.Finding{{Question: "embeddings",
		Found: fmt.Sprintf("%d dimensions; the same text has the same vector", len(vectors[0]))}}
}

// examineScorer scores a text after itself and after another, the first twice.
func examineScorer(ctx context.Context, st *Study) []backends.Finding {
	if found := notDownloaded(st, st.scorer.Name); found != nil {
		return found
	}
	f := backends.Finding{Verdict: backends.Broken, Question: "scores"}
	scorer, err := texts{st}.openScorer()
	if err != nil {
		f.Found = err.Error()
		return []backends.Finding{f}
	}
	const text = "the film was long"
	itself, other := backends.Pair{Source: text, Target: text}, backends.Pair{Source: "the rain falls", Target: text}
	scores, err := scorer.Score(ctx, []backends.Pair{itself, other, itself})
	switch {
	case err != nil:
		f.Found = err.Error()
	case len(scores) != 3:
		f.Found = fmt.Sprintf("not one score for each of 3 pairs: %v", scores)
	case scores[0] == scores[1]:
		f.Found, f.Fix = "a text scores the same after any other", "look whether the model is complete, and a scorer"
	case float32(scores[0]) != float32(scores[2]): // as they are stored
		f.Verdict, f.Found = backends.Doubt, fmt.Sprintf("the same pair twice differs by %.2g", math.Abs(scores[0]-scores[2]))
		f.Fix = "scores are stored, so tables repeat; a new collection may differ from this one"
	default:
		f.Verdict, f.Found = backends.Fine,
			fmt.Sprintf("a text scores %.3g after itself, %.3g after another; the same pair has the same score", scores[0],
				scores[1])
	}
	return []backends.Finding{f}
}
