package hosted

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tmc/langchaingo/llms"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wording"
)

// question is one call to the model.
type question struct {
	served    string
	system    string
	examples  []backends.Example
	prompt    string
	maxTokens int
	stop      []string
}

// one answers one request.
func (m *Model) one(ctx context.Context, r backends.Request) backends.Answer {
	a := backends.Answer{Key: r.Key()}
	f := m.check(r)
	x := &exchange{}
	if f == nil {
		q := question{served: m.cfg.Served, system: r.System, examples: r.Examples, prompt: r.Prompt,
			maxTokens: r.MaxTokens, stop: r.Stop}
		if len(r.Labels) > 0 {
			q.maxTokens, q.stop = 8, nil
			for _, l := range r.Labels {
				q.maxTokens = max(q.maxTokens, utf8.RuneCountInString(l)) // a token a character, at worst
			}
		}
		x.question = q
		f = m.ask(ctx, x, &a)
	}
	if f == nil {
		f = httpfailure.Leftover(a.Text, r.Prompt)
	}
	if f == nil && len(r.Labels) > 0 {
		f = named(r, &a)
	}
	if f == nil {
		return a
	}
	failed := backends.Answer{Key: a.Key, Failure: f, Latency: x.latency}
	if x.reply != nil {
		failed.Calls = []backends.Usage{x.question.credible(x.reply.usage, *x.reply)}
	}
	return failed
}

// check refuses what no provider could answer.
func (m *Model) check(r backends.Request) *backends.Failure {
	if f := backends.Carries(r, backends.ServedPart, backends.SystemPart, backends.ExamplesPart); f != nil {
		return f
	}
	switch {
	case r.Served != "" && r.Served != m.cfg.Served:
		return httpfailure.BadRequest("the request is for a model served as %q, this one is served as %q", r.Served,
			m.cfg.Served)
	case r.Mode != backends.Chat:
		return httpfailure.BadRequest("mode %q: providers offer chats alone: set mode = \"chat\" for the model", r.Mode)
	case r.Prompt == "":
		return httpfailure.BadRequest("the prompt is empty")
	case r.TopLogprobs != 0:
		return httpfailure.BadRequest("%d alternatives a token: langchaingo's client of %s passes no log-probabilities",
			r.TopLogprobs, m.cfg.Provider)
	case len(r.Labels) > 0:
		return checkLabels(r.Labels)
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

func checkLabels(labels []string) *backends.Failure {
	seen := map[string]bool{}
	for i, l := range labels {
		word := strings.ToLower(strings.TrimSpace(l))
		if word == "" || seen[word] {
			return httpfailure.BadRequest("label %d (%q) is empty or given twice, so that an answer could not name it", i+1, l)
		}
		seen[word] = true
	}
	return nil
}

// named turns a text into the classification it names: the label that it begins with, without any probability.
func named(r backends.Request, a *backends.Answer) *backends.Failure {
	said := wording.NewLabels(r.Labels).Read(a.Text)
	best := said.Label
	if best < 0 {
		return &backends.Failure{Cause: backends.NoLabel, Message: fmt.Sprintf("the model said %q, which names none of the "+
			"%d labels (%s): say in the prompt that the answer is one of them and nothing else",
			httpfailure.Clean(a.Text), len(r.Labels), said.Why)}
	}
	a.Text, a.Finish = r.Labels[best], ""
	a.Labels = make([]backends.LabelScore, len(r.Labels)) // others: at most as probable as the one said
	a.Labels[best].Seen = true
	return nil
}

// ask makes the call through langchaingo's client and fills in the answer from what the client read.
func (m *Model) ask(ctx context.Context, x *exchange, a *backends.Answer) (f *backends.Failure) {
	epoch, err := m.transport.enter(ctx)
	if err != nil {
		return &backends.Failure{Cause: backends.Timeout, Message: "the call was given up"}
	}
	defer func() { m.transport.left(epoch, f) }()
	call, cancel := context.WithTimeoutCause(ctx, m.cfg.Timeout, errTimeout)
	defer cancel()
	res, err := m.client.generate(call, x)
	a.Latency = x.latency
	switch {
	case x.failure != nil:
		return x.failure
	case context.Cause(call) == errTimeout && x.reply == nil:
		return &backends.Failure{Cause: backends.Timeout, Message: fmt.Sprintf("%v: more than %v", errTimeout, m.cfg.Timeout)}
	case ctx.Err() != nil:
		return &backends.Failure{Cause: backends.Timeout, Message: "the call was given up"}
	case x.reply == nil && err != nil:
		return &backends.Failure{Cause: backends.Internal,
			Message: "langchaingo made no call: " + httpfailure.Clean(m.transport.secrets.Text(err.Error()))}
	case err != nil:
		return httpfailure.BadResponse("langchaingo cannot read the reply: %s", m.transport.secrets.Text(err.Error()))
	}
	if a.Model, err = m.answered(x.reply); err != nil {
		return failed(err)
	}
	heard, f := hearClaude(res)
	if f == nil {
		f = heard.against(*x.reply)
	}
	if f != nil {
		return f
	}
	n, _ := heard.usage.Completion.Known()
	a.Text, a.Usage, a.NoLogprobs = heard.text, x.question.credible(heard.usage, *x.reply), true
	a.Finish = backends.FinishOf(heard.finish, n >= x.question.maxTokens)
	if cut := beforeStop(a.Text, x.question.stop); cut != a.Text {
		a.Text, a.Finish = cut, backends.FinishEnd
	}
	return nil
}

// credible is a reply's usage as far as the call can have taken it.
func (q question) credible(u backends.Usage, reply said) backends.Usage {
	asked, text := len(q.system)+len(q.prompt), len(reply.text)
	for _, e := range q.examples {
		asked += len(e.Prompt) + len(e.Answer)
	}
	if reply.thoughts {
		text = -1
	}
	return u.Credible(asked, q.maxTokens, text)
}

// failed is the failure inside an error.
func failed(err error) *backends.Failure {
	var f *backends.Failure
	if errors.As(err, &f) {
		return f
	}
	return &backends.Failure{Cause: backends.Internal, Message: err.Error()}
}

// beforeStop cuts a text at the first stop.
func beforeStop(text string, stops []string) string {
	cut := len(text)
	for _, s := range stops {
		if i := strings.Index(text, s); s != "" && i >= 0 {
			cut = min(cut, i)
		}
	}
	return text[:cut]
}

// messages are the turns of a chat as langchaingo takes them.
func (q question) messages() []llms.MessageContent {
	var out []llms.MessageContent
	if q.system != "" {
		out = append(out, llms.TextParts(llms.ChatMessageTypeSystem, q.system))
	}
	for _, e := range q.examples {
		out = append(out, llms.TextParts(llms.ChatMessageTypeHuman, e.Prompt),
			llms.TextParts(llms.ChatMessageTypeAI, e.Answer))
	}
	return append(out, llms.TextParts(llms.ChatMessageTypeHuman, q.prompt))
}

// options are what every call says: as greedy as the client can say it.
func (q question) options() []llms.CallOption {
	out := []llms.CallOption{llms.WithTemperature(0), llms.WithMaxTokens(q.maxTokens)}
	if len(q.stop) > 0 {
		out = append(out, llms.WithStopWords(slices.Clone(q.stop)))
	}
	return out
}
