package hosted

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
)

func (m *Model) one(ctx context.Context, r backends.Request) backends.Answer {
	a := backends.Answer{Key: r.Key()}
	f := m.check(r)
	if f == nil {
		q := r
		if len(r.Labels) > 0 {
			q.MaxTokens, q.Stop = httpfailure.LabelTokens(r.Labels), nil
		}
		f = m.ask(ctx, q, &a)
	}
	if f == nil {
		f = httpfailure.Leftover(a.Text, r.Prompt)
	}
	if f == nil && len(r.Labels) > 0 {
		a.Finish = ""
		f = httpfailure.Label(&a, r, a.Text)
	}
	switch {
	case f == nil:
		return a
	case f.Cause == backends.Thoughts && len(r.Labels) == 0:
		return a.Thinking(f)
	}
	failed := backends.Answer{Key: a.Key, Failure: f, Latency: a.Latency}
	if a.NoLogprobs { // there was a reply, whose tokens were paid for
		failed.Calls = []backends.Usage{a.Usage}
	}
	return failed
}

func (m *Model) check(r backends.Request) *backends.Failure {
	if f := httpfailure.Carries(r, m.cfg.Served, backends.SystemPart, backends.ExamplesPart,
		backends.SamplingPart); f != nil {
		return f
	}
	switch {
	case r.Mode != backends.Chat:
		return httpfailure.BadRequest("mode %q: providers offer chats alone: set mode = \"chat\" for the model", r.Mode)
	case r.Prompt == "":
		return httpfailure.BadRequest("the prompt is empty")
	case r.TopLogprobs != 0:
		return httpfailure.BadRequest("%d alternatives a token: langchaingo's client of %s passes no log-probabilities",
			r.TopLogprobs, m.cfg.Provider)
	case len(r.Labels) > 0:
		return httpfailure.Labels(r.Labels, strings.ToLower)
	case r.MaxTokens <= 0:
		return httpfailure.BadRequest("a generation of at most %d tokens: want 1 or more", r.MaxTokens)
	}
	for i, e := range r.Examples {
		if e.Prompt == "" || e.Answer == "" {
			return httpfailure.BadRequest("example %d has an empty prompt or answer, which providers refuse", i+1)
		}
	}
	return nil
}

// ask makes the call through langchaingo's client and fills in the answer from what the client read.
func (m *Model) ask(ctx context.Context, q backends.Request, a *backends.Answer) *backends.Failure {
	var e *envelope
	x := &wire.Exchange{
		Shape: func(body []byte) ([]byte, error) { return wire.Merged(body, m.cfg.Extra) },
		Read: func(r *wire.Reply) (readable []byte, f *backends.Failure) {
			e, readable, f = open(r)
			return readable, f
		},
	}
	res, err := m.langchain.GenerateContent(x.Context(ctx), messages(q), options(q)...)
	if x.Reply != nil {
		a.Latency = x.Reply.Latency
	}
	switch {
	case x.Err != nil:
		return wire.Failed(x.Err)
	case x.Reply == nil:
		return &backends.Failure{Cause: backends.Internal,
			Message: "langchaingo made no call: " + httpfailure.Clean(m.wire.Secrets.Text(fmt.Sprint(err)))}
	case err != nil:
		return httpfailure.BadResponse("langchaingo cannot read the reply: %s", m.wire.Secrets.Text(err.Error()))
	}
	f := hear(res, e, q, a)
	if f == nil {
		a.Model, f = m.wire.Answered(m.cfg.Served, e.Model, same)
	}
	if f != nil {
		return f
	}
	p := httpfailure.Parts{Text: a.Text, Tool: e.tool, Thoughts: e.thoughts, End: a.Finish}
	if *e.Stop == "refusal" {
		p.Refused = "stop reason refusal"
	}
	if f = p.Unsaid(); f != nil {
		return f
	}
	if cut := backends.BeforeStop(a.Text, q.Stop); cut != a.Text {
		a.Text, a.Finish = cut, backends.FinishEnd
	}
	return nil
}

func messages(q backends.Request) (out []llms.MessageContent) {
	if q.System != "" {
		out = append(out, llms.TextParts(llms.ChatMessageTypeSystem, q.System))
	}
	for _, e := range q.Examples {
		out = append(out, llms.TextParts(llms.ChatMessageTypeHuman, e.Prompt),
			llms.TextParts(llms.ChatMessageTypeAI, e.Answer))
	}
	return append(out, llms.TextParts(llms.ChatMessageTypeHuman, q.Prompt))
}

// options are what every call says: as greedy as the client can say it, but for samples. Anthropic takes no seed, so
// each call draws anew.
func options(q backends.Request) []llms.CallOption {
	out := []llms.CallOption{llms.WithTemperature(q.Sampling.Temperature), llms.WithMaxTokens(q.MaxTokens)}
	if len(q.Stop) > 0 {
		out = append(out, llms.WithStopWords(slices.Clone(q.Stop)))
	}
	return out
}
