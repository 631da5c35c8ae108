package openai

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/backends/wire"
)

var _ backends.Examined = (*Model)(nil)

// Examine checks the servers before a study spends anything: whether each URL answers, which program serves it, whether
// it serves this model, which log-probabilities it gives, how labels are classified and tokenized, and how long
// a prompt may be. It costs a probe and calls that compute nothing.
func (m *Model) Examine(ctx context.Context, e backends.Examination) (found []backends.Finding, alive bool) {
	x := &examiner{m: m, ctx: ctx, e: e}
	if !x.tryURLs() || !x.server() {
		return x.found, false
	}
	x.logprobs()
	x.labels()
	x.context()
	return x.found, true
}

type examiner struct {
	m     *Model
	ctx   context.Context
	e     backends.Examination
	p     Probe
	found []backends.Finding
}

func (x *examiner) add(v backends.Verdict, question, found, fix string) {
	words := x.m.wire.Secrets.Text
	x.found = append(x.found, backends.Finding{Verdict: v, Question: question, Found: words(found), Fix: words(fix)})
}

// tryURLs tries every URL. It returns false if none answers.
func (x *examiner) tryURLs() bool {
	any := false
	for _, e := range x.m.wire.Endpoints() {
		if _, err := x.m.wire.Call(x.ctx, wire.Call{At: e, Path: "/models"}); err != nil {
			x.add(backends.Broken, "reachable", fmt.Sprintf("%s: %v", e.Base, err), remedy(err))
			continue
		}
		any = true
		x.add(backends.Fine, "reachable", e.Base, "")
	}
	return any
}

func remedy(err error) string {
	var f *backends.Failure
	if !errors.As(err, &f) {
		return ""
	}
	switch f.Cause {
	case backends.Connection:
		return "start the server, or correct urls; the URL ends before /chat/completions, mostly in /v1"
	case backends.Timeout:
		return "the server may still be loading its weights: wait, or raise timeout"
	case backends.Unauthorized:
		return "name the environment variable of its key in api_key_env, and set it"
	case backends.BadRequest:
		return "the URL ends before /chat/completions, mostly in /v1"
	}
	return "look at the server's log"
}

// server says who answers. It returns false where the model cannot be asked.
func (x *examiner) server() bool {
	p, err := x.m.Probe(x.ctx, x.e.Mode)
	if err != nil {
		x.add(backends.Broken, "asked", err.Error(), remedy(err))
		return false
	}
	x.p = p
	name := strings.TrimSpace(p.Server + " " + p.Version)
	switch {
	case p.Server == "":
		x.add(backends.Unknown, "server", "it does not say what it is", "")
	case p.Version == "":
		x.add(backends.Unknown, "server", name+", of unknown version", "")
	default:
		x.add(backends.Fine, "server", name, "")
	}
	served := x.m.cfg.Served
	switch {
	case len(p.Models) == 0:
		x.add(backends.Unknown, "serves", "it does not list its models; it answers as "+served, "")
	case !slices.Contains(p.Models, served) && !slices.Contains(p.Models, served+":latest"):
		x.add(backends.Doubt, "serves", fmt.Sprintf("%s, and %s is not among them, though it answers",
			strings.Join(p.Models[:min(len(p.Models), 5)], ", "), served),
			"set served to the model's name there, so that nothing else answers in its place")
	default:
		x.add(backends.Fine, "serves", served, "")
	}
	return true
}

func (x *examiner) logprobs() {
	o, other := x.p.offer(x.e.Mode), backends.Chat
	if x.e.Mode == backends.Chat {
		other = backends.Raw
	}
	switch {
	case !o.Answers:
		x.add(backends.Broken, "mode "+string(x.e.Mode), "the server does not answer it",
			fmt.Sprintf("set mode = %q for the model", other))
	case x.m.cfg.NoLogprobs && x.e.Student:
		x.add(backends.Broken, "log-probabilities",
			"not asked for: no_logprobs is set, and the model has to be sure of itself",
			"take no_logprobs out, or put the model last")
	case o.Offered:
		x.add(backends.Fine, "log-probabilities", fmt.Sprintf("in %s, %d alternatives a token", x.e.Mode, o.Top), "")
	case x.e.Student && x.p.offer(other).Offered:
		x.add(backends.Broken, "log-probabilities", fmt.Sprintf("none in %s", x.e.Mode),
			fmt.Sprintf("%s gives them: set mode = %q for the model", other, other))
	case x.e.Student:
		x.add(backends.Broken, "log-probabilities", "none in either mode, so the model has no confidence",
			"serve it where they are offered, or put it last in its cascades")
	default:
		x.add(backends.Fine, "log-probabilities", "none, and none are needed: the model is the last of its cascades", "")
	}
}

func (x *examiner) labels() {
	if len(x.e.Labels) == 0 || !x.p.offer(x.e.Mode).Answers {
		return
	}
	mode := x.m.cfg.Labels
	if mode == backends.LabelsAuto {
		mode = x.p.mode(x.e.Mode)
	}
	if mode == backends.LabelsText && x.e.Student {
		x.add(backends.Broken, "labels", "only by what the model says, without probabilities",
			"serve it where log-probabilities are offered, or put it last")
	} else {
		x.add(backends.Fine, "labels", "asked by "+string(mode), "")
	}
	for _, labels := range x.e.Labels {
		x.tokens(labels)
	}
}

// tokens says whether the labels of one classification begin with tokens of their own.
func (x *examiner) tokens(labels []string) {
	all := make([]string, len(labels))
	for i, l := range labels {
		all[i] = strings.TrimSpace(l)
	}
	words := strings.Join(all, ", ")
	if !x.p.Tokenize {
		if f := nested(labels); f != nil && x.p.mode(x.e.Mode) != backends.LabelsText {
			x.add(backends.Broken, "label tokens", f.Message, "words that begin differently")
			return
		}
		x.add(backends.Unknown, "label tokens",
			words+": the server does not tell how it splits them; matched by prefix", "")
		return
	}
	list, failure := x.m.seek(x.ctx, backends.Request{Mode: x.e.Mode, Labels: labels}, true)
	if failure != nil {
		x.add(backends.Broken, "label tokens", failure.Message, "words that begin differently")
		return
	}
	var several []string
	for _, w := range list.labels {
		first := w.forms[0]
		if !first.known {
			x.add(backends.Doubt, "label tokens", fmt.Sprintf("%s: the first token of %q merges with the text before it", words,
				strings.TrimSpace(w.label)), "another word, or another end of the prompt")
			return
		}
		if text := strings.TrimSpace(first.first.text); text != "" && text != strings.TrimSpace(w.label) {
			several = append(several, strings.TrimSpace(w.label))
		}
	}
	found := words + ": single and distinct"
	if len(several) > 0 {
		found = words + ": distinct; of several tokens, and judged by the first: " + strings.Join(several, ", ")
	}
	x.add(backends.Fine, "label tokens", found, "")
}

func (x *examiner) context() {
	if x.p.Context > 0 {
		x.add(backends.Fine, "context", fmt.Sprintf("%d tokens", x.p.Context), "")
		return
	}
	x.add(backends.Unknown, "context",
		"the server does not tell; most refuse a prompt that does not fit, older Ollamas cut it", "")
}
