package openai

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"infnet/backends"
	"infnet/backends/redact"
)

// Defaults of OpenAIConfig.
const (
	defaultTop         = 20
	defaultTimeout     = 2 * time.Minute
	defaultConcurrency = 16
	defaultCoolDown    = 10 * time.Second
	defaultMaxBody     = 64 << 20
	mostTop            = 10000
)

// complete fills in the defaults and refuses what cannot be meant.
func complete(c *backends.OpenAIConfig, id string) error {
	or := func(s *string, d string) {
		if *s == "" {
			*s = d
		}
	}
	or(&c.Served, id)
	or((*string)(&c.Labels), string(backends.LabelsAuto))
	or((*string)(&c.Match), string(backends.MatchPrefix))
	or(&c.MaxTokensField, "max_tokens")
	for _, v := range []struct {
		name string
		p    *int
		d    int
		most int
	}{
		{"top_logprobs", &c.TopLogprobs, defaultTop, mostTop},
		{"concurrency", &c.Concurrency, defaultConcurrency, 1 << 16},
	} {
		if *v.p == 0 {
			*v.p = v.d
		}
		if *v.p < 1 || *v.p > v.most {
			return fmt.Errorf("%s = %d: want 1 to %d", v.name, *v.p, v.most)
		}
	}
	for _, v := range []struct {
		name string
		p    *time.Duration
		d    time.Duration
	}{{"timeout", &c.Timeout, defaultTimeout}, {"cool_down", &c.CoolDown, defaultCoolDown}} {
		if *v.p == 0 {
			*v.p = v.d
		}
		if *v.p < 0 {
			return fmt.Errorf("%s = %v: want a time above zero", v.name, *v.p)
		}
	}
	if c.MaxBody <= 0 {
		c.MaxBody = defaultMaxBody
	}
	if !slices.Contains(backends.LabelModes(), c.Labels) {
		return fmt.Errorf("label mode %q: want one of %v", c.Labels, backends.LabelModes())
	}
	if !slices.Contains(backends.LabelMatches(), c.Match) {
		return fmt.Errorf("label match %q: want one of %v", c.Match, backends.LabelMatches())
	}
	if c.NoLogprobs && c.Labels != backends.LabelsAuto && c.Labels != backends.LabelsText {
		return fmt.Errorf("label mode %q reads log-probabilities, and no_logprobs asks for none", c.Labels)
	}
	if c.WholeLabels && c.Labels != backends.LabelsEcho {
		return fmt.Errorf("whole labels are scored by label mode %q alone, not by %q", backends.LabelsEcho, c.Labels)
	}
	return nil
}

func authorizer(key backends.Secret, headers map[string]backends.Secret) func(http.Header) {
	headers = maps.Clone(headers)
	return func(h http.Header) {
		if key != "" {
			h.Set("Authorization", "Bearer "+key.Reveal())
		}
		for k, v := range headers {
			h.Set(k, v.Reveal())
		}
	}
}

// secrets are what no word of a server may hold: the key, and the values of the
// further headers.
func secrets(key backends.Secret, headers map[string]backends.Secret) *redact.Redactor {
	all := []string{key.Reveal()}
	for _, v := range headers {
		all = append(all, v.Reveal())
	}
	return redact.New(all...)
}
