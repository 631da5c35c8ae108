package spec

import (
	"fmt"
	"net/url"
	"strings"

	"infnet/backends"
	"infnet/harness/task"
)

// checkHuggingFace checks a table of a Hugging Face inference endpoint.
func checkHuggingFace(b *backend, s *Study) any {
	r, f := b.raw, b.file
	b.checkAddresses(func(u *url.URL) remark {
		if u.Hostname() != "api-inference.huggingface.co" {
			return remark{}
		}
		return remark{"this host answers no more",
			"name a dedicated endpoint, or https://router.huggingface.co/hf-inference/models/OWNER/NAME"}
	})
	c := backends.HuggingFaceConfig{HuggingFaceOptions: r.HuggingFaceOptions, Access: b.access(s)}
	if r.Task == "" {
		f.missing(b.at, "task", "want one of zero-shot-classification, question-answering")
	}
	if c.Hypothesis != "" && strings.Count(c.Hypothesis, "{}") != 1 {
		f.wrong(b.key("hypothesis"), "the hypothesis must hold {} once, where the label goes",
			"hypothesis = \"The sentiment of this review is {}.\"")
	}
	return c
}

// huggingFaceModel checks a model behind an endpoint, and says how to open it.
func huggingFaceModel(_ *modelCheck, d *definition, m *Model, b *backend) {
	c, _ := b.common.(backends.HuggingFaceConfig)
	switch urls, key := b.urlsOf(d.name); {
	case len(urls) == 1:
		c.URLs = urls
	case len(urls) > 1:
		b.file.wrong(key, fmt.Sprintf("%d URLs: an endpoint has one", len(urls)),
			"give each model its own: urls_of = { my-model = [\"https://…\"] }")
	default:
		b.lacksURLs("urls = [\"https://router.huggingface.co/hf-inference/models/OWNER/NAME\"]")
	}
	if m.Mode == backends.Chat {
		d.wrong("mode", "a Hugging Face endpoint takes fields, not chats", "leave mode out")
	}
	warnUnversioned(d)
	m.Config.Settings = &c
	m.Config.Model.Revision = c.Revision(m.Config.Model.Revision)
}

// checkEndpointTasks refuses datasets that the task of an endpoint cannot
// answer.
func checkEndpointTasks(l link, wrong func(message, hint string)) {
	c, ok := l.model.Config.Settings.(*backends.HuggingFaceConfig)
	if !ok {
		return // its mistakes were reported
	}
	does := c.Task
	want := map[backends.HuggingFaceTask]task.Kind{backends.ZeroShot: task.Classification,
		backends.ExtractiveQA: task.QA}[does]
	for _, d := range l.datasets {
		if want != "" && d.Task != "" && d.Task != want {
			wrong(fmt.Sprintf("%s does %s alone, and %s is a task of %s", l.model.Name, does, d.Name, d.Task),
				fmt.Sprintf("name the datasets it can answer, those of task %s: datasets = [\"…\"]", want))
		}
	}
}
