package spec

import (
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/spec/place"
	"infnet/harness/task"
)

// huggingFace checks a table of a Hugging Face inference endpoint, and keeps
// what its models have in common.
func (l *loader) huggingFace(b *backend, s *Study) {
	r, f := b.raw, b.file
	in := func(key string) string { return place.Join(b.at, key) }
	l.addresses(b)
	b.huggingFace = &backends.HuggingFaceConfig{
		Task:        or(r.Task, ""),
		TokenEnv:    l.variable(b, in("api_key_env"), or(r.APIKeyEnv, ""), r.APIKeyEnv != nil),
		Hypothesis:  or(r.Hypothesis, ""),
		Text:        or(r.Text, ""),
		Context:     or(r.Context, ""),
		Question:    or(r.Question, ""),
		End:         or(r.End, ""),
		Timeout:     l.duration(f, in("timeout"), r.Timeout, s.Collect.Timeout),
		Concurrency: l.parallel(b, s),
		MaxBody:     l.whole(f, in("max_body"), r.MaxBody, defaultMaxBodyHF, 1<<10, 1<<30),
	}
	if r.Task == nil {
		l.missing(f, b.at, "task", "want one of zero-shot-classification, question-answering")
	}
	if h := b.huggingFace.Hypothesis; r.Hypothesis != nil && strings.Count(h, "{}") != 1 {
		l.bad(f, in("hypothesis"), "the hypothesis must hold {} once, where the label goes", "hypothesis = \"The sentiment of this review is {}.\"")
	}
	for _, k := range []struct {
		key  string
		p    *string
		task backends.HuggingFaceTask
	}{
		{"hypothesis", r.Hypothesis, backends.ZeroShot}, {"text", r.Text, backends.ZeroShot},
		{"context", r.Context, backends.ExtractiveQA}, {"question", r.Question, backends.ExtractiveQA},
	} {
		if k.p != nil && r.Task != nil && *r.Task != k.task {
			l.bad(f, in(k.key), fmt.Sprintf("this key is not for task %q", *r.Task), fmt.Sprintf("it is for %s; leave it out", k.task))
		}
	}
}

// endpoint checks a model behind a Hugging Face endpoint, and says how to open
// it.
func (l *loader) endpoint(d *definition, r *rawModel, b *backend, m *Model, s *Study) {
	l.check(b, s)
	c := *b.huggingFace
	switch urls, key := b.urlsOf(d.name); {
	case len(urls) == 1:
		c.URL = urls[0]
	case len(urls) > 1:
		l.bad(b.file, key, fmt.Sprintf("%d URLs: an endpoint has one", len(urls)), "give each model its own: urls_of = { my-model = [\"https://…\"] }")
	default:
		l.lacks(b, "urls = [\"https://router.huggingface.co/hf-inference/models/OWNER/NAME\"]")
	}
	if r.Mode != nil && *r.Mode == rawMode(backends.Chat) {
		l.bad(d.file, d.at+".mode", "a Hugging Face endpoint takes fields, not chats", "leave mode out")
	}
	l.unversioned(d, r)
	m.Config.HuggingFace = &c
	m.Config.Model.Revision = c.Revision(m.Config.Model.Revision)
}

// endpoints refuses datasets that the task of an endpoint cannot answer.
func (l *loader) endpoints(s *Study) {
	for i, c := range s.Cascades {
		for _, name := range c.Models {
			m, ok := s.Model(name)
			if !ok || m.Config.HuggingFace == nil {
				continue
			}
			for _, of := range c.Datasets {
				d, ok := s.Dataset(of)
				want := map[backends.HuggingFaceTask]task.Kind{backends.ZeroShot: task.Classification, backends.ExtractiveQA: task.QA}[m.Config.HuggingFace.Task]
				if !ok || want == "" || d.Task == "" || d.Task == want {
					continue
				}
				at := place.Element(place.Element("cascades", i)+".models", slices.Index(l.files[0].raw.Cascades[i].Models, name))
				l.bad(l.files[0], at, fmt.Sprintf("%s does %s alone, and %s is a task of %s", name, m.Config.HuggingFace.Task, of, d.Task),
					fmt.Sprintf("name the datasets it can answer, those of task %s: datasets = [\"…\"]", want))
			}
		}
	}
}
