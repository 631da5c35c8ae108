package openai

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"infnet/backends"
)

// Offer says which log-probabilities one route gives.
type Offer struct {
	Answers bool // the route answers at all
	Offered bool // generated tokens come with log-probabilities
	Top     int  // alternatives a token, as far as was asked for
}

// Probe is what a server supports, found by calling it. It says nothing about speed, and holds no secret.
type Probe struct {
	Server  string   // vllm, sglang, llama.cpp, ollama, tgi, openai, or "" where it does not say
	Version string   // as the server says; may be empty
	Models  []string // that it serves; empty where it does not say
	Context int      // longest input in tokens; 0 = not reported

	Chat Offer // /chat/completions
	Raw  Offer // /completions

	Echo       bool // /completions returns the prompt's own log-probabilities
	Tokenize   bool // a route splits texts into tokens
	TokenIDs   bool // log-probabilities of named tokens (vLLM's logprob_token_ids)
	Repeatable bool // the same prompt twice gave the same text and log-probabilities

	Notes []string // what the server refused, in its words

	got map[backends.Mode]scoring
}

// scoring counts the replies of a probe that were asked for log-probabilities and nothing else, and those without any.
type scoring struct{ without, of int }

func (p *Probe) offer(m backends.Mode) *Offer {
	if m == backends.Raw {
		return &p.Raw
	}
	return &p.Chat
}

// mode is how LabelsAuto classifies in a mode.
func (p *Probe) mode(m backends.Mode) backends.LabelMode { return p.ways(m)[0] }

// ways lists how classifications can be asked in a mode, the best first.
func (p *Probe) ways(m backends.Mode) []backends.LabelMode {
	o := p.offer(m)
	several := o.Offered && o.Top >= 2
	var out []backends.LabelMode
	if several && p.TokenIDs {
		out = append(out, backends.LabelsTokenIDs)
	}
	if several {
		out = append(out, backends.LabelsTopLogprobs)
	}
	if m == backends.Raw && p.Echo {
		out = append(out, backends.LabelsEcho)
	}
	return append(out, backends.LabelsText)
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
func (p *Probe) Fingerprint() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %v %v %q %q", p.Server, p.Version, p.Chat, p.Raw, p.mode(backends.Chat),
		p.mode(backends.Raw)))
	return hex.EncodeToString(sum[:8])
}
