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

// checkDecisions checks a table of a server of decision models.
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
