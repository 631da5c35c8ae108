package spec

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"infnet/backends"
	"infnet/harness/choice"
)

// checkHosted checks a table of a provider.
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
