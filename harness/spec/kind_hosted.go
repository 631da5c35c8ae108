package spec

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"infnet/backends"
	"infnet/harness/spec/place"
)

// hostedKind is a model of a provider, asked by the provider's own API.
func hostedKind() *kind {
	return &kind{
		name: backends.Hosted, title: "a provider", traits: (*backends.HostedConfig)(nil).Traits(),
		keys: servers("provider", "region", "extra", "drop"),
		strays: merge(onServer(backends.Hosted), map[string]remark{
			"shape": {"a provider says nothing of its model's network",
				"leave it out, and set cost.model = \"price\" or \"tokens\""},
		}),
		system: true,
		table:  checkHosted, model: hostedModel, chained: checkHostedChain,
		unshaped: func(d *definition) {
			d.wrong("backend", "cost.model = \"tflops\" counts the network's work, and a provider says nothing of its network",
				"choose another cost.model: price, tokens, latency, fixed")
		},
	}
}

// region is how AWS writes regions.
var region = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-\d{1,2}$`)

// checkHosted checks a table of a provider.
func checkHosted(b *backend, s *Study) any {
	r, f := b.raw, b.file
	usual := backends.HostedConfig{Provider: or(r.Provider, backends.Anthropic), Region: or(r.Region, "us-east-1")}
	b.checkAddresses(func(u *url.URL) remark {
		if strings.HasSuffix(u.Path, "/messages") || strings.HasSuffix(u.Path, "/chat") ||
			strings.Contains(u.Path, ":generate") || strings.HasSuffix(u.Path, "/invoke") {
			return remark{"the URL names one route", "give the base URL, as in " + usual.Address()}
		}
		path := strings.TrimRight(u.Path, "/")
		if v := usual.Provider.Version(); v != "" && (strings.HasSuffix(path, v) || strings.HasSuffix(path, "/v1")) {
			return remark{"the URL ends with a version, and requests add " + v + " themselves",
				"leave the version out, as in " + usual.Address()}
		}
		if own, err := url.Parse(usual.Address()); err == nil && u.Host == own.Host && path != own.Path {
			return remark{"this is the provider's host, and its routes begin elsewhere",
				"leave urls out, or write " + usual.Address()}
		}
		return remark{}
	})
	c := backends.HostedConfig{
		Provider:    or(r.Provider, ""),
		Region:      or(r.Region, ""),
		APIKeyEnv:   b.apiKeyEnv(),
		Timeout:     f.duration(b.key("timeout"), r.Timeout, s.Collect.Timeout),
		Concurrency: b.concurrency(s),
		MaxBody:     f.whole(b.key("max_body"), r.MaxBody, defaultMaxBodyHF, 1<<10, 1<<30),
	}
	var names []string
	for _, p := range backends.Providers() {
		names = append(names, string(p))
	}
	switch {
	case r.Provider == nil:
		f.missing(b.at, "provider", "want one of "+strings.Join(names, ", "))
	case c.Provider == backends.Bedrock && r.Region == nil:
		f.missing(b.at, "region", "the AWS region of the calls: region = \"us-east-1\"")
	case c.Provider != backends.Bedrock && r.Region != nil:
		f.wrong(b.key("region"), fmt.Sprintf("%s has no regions", c.Provider), "it is for bedrock; leave it out")
	case r.Region != nil && !region.MatchString(c.Region):
		f.wrong(b.key("region"), fmt.Sprintf("%q is no AWS region", c.Region), "want one like \"us-east-1\"")
	}
	if r.Provider != nil && c.Provider != backends.Bedrock && r.APIKeyEnv == nil && len(r.URLs) == 0 &&
		len(r.URLsOf) == 0 {
		f.missing(b.at, "api_key_env",
			fmt.Sprintf("%s wants a key: api_key_env = \"%s\", the name of the variable that holds it",
				c.Provider, strings.ToUpper(string(c.Provider))+"_API_KEY"))
	}
	c.Extra = b.extra(c.Provider.OwnedFields(), "leave it in")
	for i, field := range r.Drop {
		if field == "generationConfig" || field == "inferenceConfig" {
			f.wrong(place.Element(b.key("drop"), i), field+" holds the limit of tokens, which every request needs",
				fmt.Sprintf("change a field of it: extra = { %s = { temperature = 1 } }", field))
		}
	}
	return c
}

// hostedModel checks a model of a provider, and says how to open it.
func hostedModel(_ *modelCheck, d *definition, m *Model, b *backend) {
	c, _ := b.common.(backends.HostedConfig)
	if urls, key := b.urlsOf(d.name); len(urls) > 1 {
		b.file.wrong(key, fmt.Sprintf("%d URLs: a provider has one", len(urls)), "name the gateway's alone")
	} else if len(urls) == 1 {
		c.URL = urls[0]
	}
	c.Served = or(d.model().Served, m.Config.Model.ID)
	if err := c.Provider.Asks(c.Served); err != nil {
		key := "id"
		if d.model().Served != nil {
			key = "served"
		}
		d.wrong(key, err.Error(), "as in anthropic.claude-sonnet-4-5-20250929-v1:0 or amazon.nova-lite-v1:0")
	}
	if d.model().Mode == nil {
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
		"decide by", l.model.Name, c.Provider), "put it last, or ask it through a server of the OpenAI protocol that gives "+
		"log-probabilities: kind = \"openai\"")
}
