package spec

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"infnet/backends"
	"infnet/harness/choice"
	"infnet/harness/task"
)

func checkHosted(b *backend, s *Study) any {
	r, f := b.raw, b.file
	usual := new(backends.HostedConfig).Address()
	b.checkAddresses(func(u *url.URL) remark {
		if strings.HasSuffix(u.Path, "/messages") {
			return remark{"the URL names one route", "give the base URL, as in " + usual}
		}
		if own, err := url.Parse(usual); err == nil && u.Host == own.Host && strings.TrimRight(u.Path, "/") != own.Path {
			return remark{"this is the provider's host, and its routes begin elsewhere",
				"leave urls out, or write " + usual}
		}
		return remark{}
	})
	c := backends.HostedConfig{Provider: r.Provider, Access: b.access(s)}
	if r.Provider == "" {
		f.missing(b.at, "provider", "want one of "+choice.List(backends.Providers()))
	} else if r.APIKeyEnv == "" && len(r.URLs) == 0 && len(r.URLsOf) == 0 {
		f.missing(b.at, "api_key_env",
			fmt.Sprintf("%s wants a key: api_key_env = \"%s\", the name of the variable that holds it",
				c.Provider, strings.ToUpper(string(c.Provider))+"_API_KEY"))
	}
	c.Extra = b.extra(c.Provider.OwnedFields(), "leave it in")
	return c
}

// hostedModel checks a model of a provider, and says how to open it.
func hostedModel(_ *modelCheck, d *definition, m *Model, b *backend) {
	c, _ := b.common.(backends.HostedConfig)
	if urls, key := b.urlsOf(d.name); len(urls) > 1 {
		b.file.wrong(key, fmt.Sprintf("%d URLs: a provider has one", len(urls)), "name the gateway's alone")
	} else if len(urls) == 1 {
		c.URLs = urls
	}
	c.Served = cmp.Or(m.Served, m.Config.Model.ID)
	if !d.has("mode") {
		m.Mode = backends.Chat
	} else if m.Mode != backends.Chat {
		d.wrong("mode", "providers offer chats alone", "leave it out, or set mode = \"chat\"")
	}
	warnUnversioned(d)
	m.Config.Settings = &c
	m.Config.Model.Revision = c.Revision(m.Config.Model.Revision)
}

// checkHostedChain refuses hosted models anywhere in a cascade but at its end.
func checkHostedChain(l link, wrong func(message, hint string)) {
	c, ok := l.model.Config.Settings.(*backends.HostedConfig)
	if !ok || !l.student {
		return
	}
	wrong(fmt.Sprintf("%s is hosted (%s), and langchaingo's clients pass no log-probabilities, so there is no "+
		"confidence to "+
		"decide by", l.model.Name, c.Provider), "put it last, let it vote (samples = { n = 5, temperature = 0.7 }), or ask "+
		"it through a server of the OpenAI protocol that gives log-probabilities: kind = \"openai\"")
}

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

func checkDecisions(b *backend, s *Study) any {
	b.checkAddresses(func(u *url.URL) remark {
		for _, p := range backends.DecisionsProtocols() {
			if strings.HasSuffix(strings.TrimRight(u.Path, "/"), p.Route()) {
				return remark{"the URL names one route", fmt.Sprintf("give the base URL, which ends before %s", p.Route())}
			}
		}
		return remark{}
	})
	c := backends.DecisionsConfig{DecisionsOptions: b.raw.DecisionsOptions, Access: b.access(s)}
	if c.Protocol == "" {
		b.file.missing(b.at, "protocol", "want one of "+choice.List(backends.DecisionsProtocols()))
	}
	if c.As == backends.AsChoice { // the default written out is the default
		c.As = ""
	}
	return c
}

// decisionsModel checks a decision model, and says how to open it. It writes nothing, so its output needs no price.
func decisionsModel(_ *modelCheck, d *definition, m *Model, b *backend) {
	c, _ := b.common.(backends.DecisionsConfig)
	urls, _ := b.urlsOf(d.name)
	if c.URLs = urls; len(urls) == 0 {
		b.lacksURLs("urls = [\"http://127.0.0.1:8009/v1\"]")
	}
	c.Served = cmp.Or(m.Served, m.Config.Model.ID)
	if m.Mode != backends.Raw {
		d.wrong("mode", "a decision model reads a text, not a chat", "leave mode out")
	}
	m.Priced = m.Priced || d.has("price_in")
	warnUnversioned(d)
	m.Config.Settings = &c
	m.Config.Model.Revision = c.Revision(m.Config.Model.Revision)
}

// checkDecisionsChain refuses datasets that a decision model cannot answer.
func checkDecisionsChain(l link, wrong func(message, hint string)) {
	c, ok := l.model.Config.Settings.(*backends.DecisionsConfig)
	if !ok {
		return // its mistakes were reported
	}
	for _, d := range l.datasets {
		switch n := len(d.Labels); {
		case d.Task == "": // reported
		case d.Task != task.Classification:
			wrong(fmt.Sprintf("%s is a decision model, which answers classifications alone, and %s is a task of %s",
				l.model.Name, d.Name, d.Task), "name the datasets it can answer, those of task classification: datasets = [\"…\"]")
		case d.Question == "":
			wrong(fmt.Sprintf("%s is a decision model, and the dataset %s does not say what it is asked", l.model.Name, d.Name),
				"write the question into the dataset: question = \"Which team should handle this?\"")
		case c.As == backends.AsNoul && n != 2:
			wrong(fmt.Sprintf("%s is asked yes or no (as = \"noul\"), and %s has %d labels", l.model.Name, d.Name, n),
				"leave as out of its backend")
		}
	}
}
