package spec

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/choice"
	"infnet/harness/spec/place"
	"infnet/harness/task"
)

// decisionsKind is a decision model behind a server.
func decisionsKind() *kind {
	return &kind{
		name: backends.Decisions, title: "a server of decision models",
		table: checkDecisions, model: decisionsModel, chained: checkDecisionsChain,
		unshaped: func(d *definition) {
			d.wrong("backend", "cost.model = \"tflops\" counts the network's work, and a server of decision models says "+
				"nothing of its network", "choose another cost.model: price, tokens, latency, fixed")
		},
	}
}

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
	c.Served = or(d.model().Served, m.Config.Model.ID)
	if m.Mode != backends.Raw {
		d.wrong("mode", "a decision model reads a text, not a chat", "leave mode out")
	}
	if r := d.model(); r.PriceOut == nil {
		r.PriceOut, m.Priced = new(float64), r.PriceIn != nil
	}
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

// question checks what decision models are asked.
func (c *datasetCheck) question() {
	r := c.raw
	if !c.out.classification() {
		for _, key := range []string{"question", "criteria"} {
			if c.file.text.Has(place.Join(c.at, key)) {
				c.wrong(key, fmt.Sprintf("decision models answer classifications, and this is a task of %s", c.out.Task),
					"leave it out")
			}
		}
		return
	}
	if c.out.Question = or(r.Question, ""); r.Question != nil && strings.TrimSpace(c.out.Question) == "" {
		c.wrong("question", "the question is empty", "question = \"Which team should handle this?\"")
	}
	if len(r.Criteria) == 0 {
		return
	}
	var classes []string
	for _, l := range c.out.Labels {
		classes = append(classes, l.Class)
		c.out.Criteria = append(c.out.Criteria, r.Criteria[l.Class])
	}
	for _, class := range slices.Sorted(maps.Keys(r.Criteria)) {
		at := place.Join(place.Join(c.at, "criteria"), class)
		switch {
		case !slices.Contains(classes, class):
			c.file.wrong(at, "no label has this class", place.Suggest(class, classes))
		case strings.TrimSpace(r.Criteria[class]) == "":
			c.file.wrong(at, "the text is empty", "say what the class means, or leave it out")
		}
	}
	if c.out.Question == "" {
		c.wrong("criteria", "criteria without a question", "question = \"Which team should handle this?\"")
	}
}
