package openai

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"infnet/backends"
)

// Offer says which log-probabilities one route gives.
type Offer struct {
	Answers bool `json:"answers"` // the route answers at all
	Offered bool `json:"offered"` // generated tokens come with log-probabilities
	Top     int  `json:"top"`     // alternatives a token, as far as was asked for
}

// Probe is what a server supports, found by calling it. It says nothing about speed, and holds no secret.
type Probe struct {
	Server  string   `json:"server"`  // vllm, sglang, llama.cpp, ollama, tgi, openai, or "" where it does not say
	Version string   `json:"version"` // as the server says; may be empty
	Models  []string `json:"models"`  // that it serves; empty where it does not say
	Context int      `json:"context"` // longest input in tokens; 0 = not reported

	Chat Offer `json:"chat"` // /chat/completions
	Raw  Offer `json:"raw"`  // /completions

	Echo       bool `json:"echo"`       // /completions returns the prompt's own log-probabilities
	Tokenize   bool `json:"tokenize"`   // a route splits texts into tokens
	TokenIDs   bool `json:"token_ids"`  // log-probabilities of named tokens (vLLM's logprob_token_ids)
	Repeatable bool `json:"repeatable"` // the same prompt twice gave the same text and log-probabilities

	ChatLabels backends.LabelMode `json:"chat_labels"` // how LabelsAuto classifies in chat mode
	RawLabels  backends.LabelMode `json:"raw_labels"`  // and in raw mode

	Notes []string `json:"notes,omitempty"` // what the server refused, in its words

	got map[backends.Mode]scoring
}

// scoring counts the replies of a probe that were asked for log-probabilities and nothing else, and those without any.
type scoring struct{ without, of int }

func (p *Probe) offer(m backends.Mode) Offer {
	if m == backends.Raw {
		return p.Raw
	}
	return p.Chat
}

func (p *Probe) mode(m backends.Mode) backends.LabelMode {
	if m == backends.Raw {
		return p.RawLabels
	}
	return p.ChatLabels
}

// ways lists how classifications can be asked in a mode, the best first.
func (p *Probe) ways(m backends.Mode) []backends.LabelMode {
	o := p.offer(m)
	several := o.Offered && o.Top >= 2
	var out []backends.LabelMode
	for _, w := range []struct {
		mode  backends.LabelMode
		works bool
	}{
		{backends.LabelsTokenIDs, several && p.TokenIDs},
		{backends.LabelsTopLogprobs, several},
		{backends.LabelsEcho, m == backends.Raw && p.Echo},
		{backends.LabelsText, true},
	} {
		if w.works {
			out = append(out, w.mode)
		}
	}
	return out
}

// Server says what the probe found; with everything configured, nothing is asked.
func (m *Model) Server(ctx context.Context, mode backends.Mode) (backends.Server, bool, error) {
	if (m.cfg.Labels != backends.LabelsAuto || m.cfg.NoLogprobs) && m.cfg.Launch == nil {
		return backends.Server{}, false, nil
	}
	p, err := m.Probe(ctx, mode)
	if err != nil {
		return backends.Server{}, true, err
	}
	labels := map[backends.Mode][]backends.LabelMode{}
	for _, mode := range []backends.Mode{backends.Raw, backends.Chat} {
		if p.offer(mode).Answers {
			labels[mode] = p.ways(mode)
		}
	}
	return backends.Server{Name: p.Server, Version: p.Version, Fingerprint: p.Fingerprint(), Labels: labels}, true, nil
}

// Fingerprint is a short hash of what determines how answers are obtained: the server, its version
// and the label modes. Use it to compare runs; it is not part of an answer's key.
func (p Probe) Fingerprint() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %v %v %q %q", p.Server, p.Version, p.Chat, p.Raw, p.ChatLabels,
		p.RawLabels))
	return hex.EncodeToString(sum[:8])
}

// String is the probe in lines for people, one finding each.
func (p Probe) String() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	yes := func(v bool) string {
		if v {
			return "yes"
		}
		return "no"
	}
	name := p.Server
	if name == "" {
		name = "unknown"
	}
	line("server          %s", strings.TrimSpace(name+" "+p.Version))
	if len(p.Models) > 0 {
		line("models          %s", strings.Join(p.Models[:min(len(p.Models), 8)], ", "))
	}
	if p.Context > 0 {
		line("context         %d tokens", p.Context)
	}
	for _, r := range []struct {
		name string
		o    Offer
	}{{"chat", p.Chat}, {"raw", p.Raw}} {
		switch {
		case !r.o.Answers:
			line("%-15s no answer", r.name)
		case !r.o.Offered:
			line("%-15s answers, no log-probabilities", r.name)
		default:
			line("%-15s log-probabilities, %d alternatives a token", r.name, r.o.Top)
		}
	}
	line("echo            %s", yes(p.Echo))
	line("tokenize        %s", yes(p.Tokenize))
	line("named tokens    %s", yes(p.TokenIDs))
	line("repeatable      %s", yes(p.Repeatable))
	line("labels          chat: %s, raw: %s", p.ChatLabels, p.RawLabels)
	for _, n := range p.Notes {
		line("note            %s", n)
	}
	return b.String()
}
