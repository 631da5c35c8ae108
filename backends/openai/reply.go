package openai

import (
	"cmp"
	"encoding/json"
	"strings"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
)

// response is what we read of a chat completion or a completion.
type response struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   usage           `json:"usage"` // as the server states it; backend says what is believed of it
	Error   json.RawMessage `json:"error"`
	System  json.RawMessage `json:"system_fingerprint"` // a text, null, or whatever a gateway makes of it

	asked question       // what it replies to
	at    *wire.Endpoint // where
}

// system is what the reply says of the system that computed it; "" = nothing.
func (r *response) system() (text string) {
	if json.Unmarshal(r.System, &text) != nil || len(text) > 200 {
		return ""
	}
	return text
}

type choice struct {
	Index        int             `json:"index"`
	Text         *string         `json:"text"`    // of completions
	Message      message         `json:"message"` // of chats
	FinishReason string          `json:"finish_reason"`
	Logprobs     *logprobs       `json:"logprobs"`
	Error        json.RawMessage `json:"error"` // of gateways
}

// message is a turn, with what a model may say in addition to, or instead of, an answer.
type message struct {
	Content *string `json:"content"`
	Refusal string  `json:"refusal"`

	Reasoning        json.RawMessage `json:"reasoning"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	ToolCalls        json.RawMessage `json:"tool_calls"`
	FunctionCall     json.RawMessage `json:"function_call"`
}

func decode(reply *wire.Reply) (*response, *backends.Failure) {
	var r response
	if f := reply.JSON(&r); f != nil {
		return nil, f
	}
	if httpfailure.Says(r.Error) {
		f := httpfailure.Success(reply.Body)
		if len(r.Choices) > 0 {
			return nil, badResponse("the response has an answer and also the error %q", f.Message)
		}
		return nil, f
	}
	if n := len(r.Choices); n != 1 {
		return nil, badResponse("the response has %d choices, want 1", n)
	}
	switch c := r.Choices[0]; {
	case c.Index != 0:
		return nil, badResponse("the response's only choice has index %d, want 0", c.Index)
	case httpfailure.Says(c.Error):
		return nil, badResponse("the response's choice also has an error: %s", clean(string(c.Error)))
	case c.Text != nil && c.Message.Content != nil && *c.Text != *c.Message.Content:
		return nil, badResponse("the response's choice has two texts, %q and %q", short(*c.Text), short(*c.Message.Content))
	case c.FinishReason == "abort" || c.FinishReason == "error": // SGLang, vLLM: given up on the way
		return nil, &backends.Failure{Cause: backends.ServerError, Status: 200,
			Message: "the server gave the answer up (finish reason " + c.FinishReason + ")"}
	}
	if f := r.Usage.check(); f != nil {
		return nil, f
	}
	return &r, nil
}

func (r *response) steps() ([]step, *backends.Failure) { return r.Choices[0].Logprobs.steps() }

// said is the text of a reply's only choice. An empty text is an answer if the model ended it. If
// it was cut, filtered, only reasoning, or a tool call, there is no answer.
func (r *response) said() (string, *backends.Failure) {
	p := r.parts()
	return p.Text, p.Unsaid()
}

func (r *response) parts() httpfailure.Parts {
	c := r.Choices[0]
	text := cmp.Or(c.Message.Content, c.Text)
	finish := strings.ToLower(c.FinishReason)
	p := httpfailure.Parts{Text: r.text(), NoText: text == nil, Refused: c.Message.Refusal, Thoughts: c.Message.thinks(),
		Tool: c.Message.calls() || finish == "tool_calls" || finish == "function_call", End: r.ending(false)}
	if p.End == backends.FinishLength && r.Usage.Within.Thoughts > 0 { // out of sight
		p.Thoughts = true
	}
	if finish == "content_filter" {
		p.Refused = "by the server's content filter"
	}
	return p
}

// thinks reports whether a message holds the model's thoughts, apart from its text.
func (m message) thinks() bool {
	return httpfailure.Says(m.Reasoning) || httpfailure.Says(m.ReasoningContent)
}

// thoughts are the model's thoughts, where the message holds them as a text.
func (m message) thoughts() (text string) {
	for _, said := range []json.RawMessage{m.ReasoningContent, m.Reasoning} {
		if text == "" && json.Unmarshal(said, &text) != nil {
			text = ""
		}
	}
	return text
}

func (m message) calls() bool {
	return httpfailure.Says(m.ToolCalls) || httpfailure.Says(m.FunctionCall)
}

func (r *response) text() string {
	if text := cmp.Or(r.Choices[0].Message.Content, r.Choices[0].Text); text != nil {
		return *text
	}
	return ""
}

// ending is why the answer ended; full says that it has as many tokens as were
// allowed.
func (r *response) ending(full bool) backends.Finish {
	return backends.FinishOf(r.Choices[0].FinishReason, full)
}

// finish is the ending in OpenAI's words, for the reading of tokens.
func (r *response) finish() string {
	switch f := r.ending(false); f {
	case backends.FinishEnd:
		return "stop"
	case backends.FinishUnsaid:
		return ""
	default:
		return string(f)
	}
}

// usage is a call's usage as the server reports it. Servers omit all of it (or write zeros), or the
// counts that they do not keep.
type usage struct {
	Prompt     int  `json:"prompt_tokens"`
	Completion *int `json:"completion_tokens"`
	Total      int  `json:"total_tokens"`
	Details    struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Within struct {
		Thoughts int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func (u usage) check() *backends.Failure {
	prompt, completion, total := u.stated()
	switch {
	case min(prompt, completion, total, u.Details.Cached) < 0:
		return badResponse("the usage has negative token counts")
	case total > 0 && prompt > total-completion:
		return badResponse("the usage says %d prompt and %d completion tokens, and %d in total", prompt, completion, total)
	}
	return nil
}

// stated are the reported counts; 0 = not reported.
func (u usage) stated() (prompt, completion, total int) {
	if u.Completion != nil {
		completion = *u.Completion
	}
	return u.Prompt, completion, u.Total
}

// spent is the call's usage as far as it is known. A total and one part give the other part. A part
// is unknown if it is missing, or 0 where it cannot be 0 (a prompt; an answer with text). A prompt
// with fewer tokens than its cached ones is unknown too: such servers count cached tokens
// separately, and it is unclear whether all of them belong to the prompt. So is what the call cannot have taken.
//
// What a total has beyond both parts is thoughts that the server counts apart (xAI says so; Gemini's protocol leaves
// them out): they were generated, and are paid.
func (r *response) spent() backends.Usage {
	u, allowed := r.Usage, r.asked.MaxTokens
	prompt, completion, total := u.stated()
	switch {
	case prompt > 0 && u.Completion == nil && total > prompt:
		completion = total - prompt
	case completion > 0 && prompt == 0 && total > completion:
		prompt = total - completion
	}
	if rest := total - prompt - completion; prompt > 0 && completion > 0 && rest > 0 {
		switch u.Within.Thoughts {
		case rest:
			completion, allowed = completion+rest, allowed+rest
		case 0:
			if completion+rest <= allowed { // else nobody knows what it is
				completion, u.Within.Thoughts = completion+rest, rest
			}
		}
	}
	if u.Details.Cached > prompt {
		prompt = 0
	}
	c, text := r.Choices[0], r.text()
	thought := u.Within.Thoughts > 0 || c.Message.thinks() || c.Message.calls()
	silent := text == "" && !thought && (c.Logprobs == nil || len(c.Logprobs.Content)+len(c.Logprobs.Tokens) == 0)
	said := len(text)
	if thought {
		said = -1
	}
	return backends.Believe(backends.Usage{
		Prompt: backends.Counted(prompt), Completion: backends.Counted(completion), Cached: u.Details.Cached,
		Thoughts: min(max(u.Within.Thoughts, 0), completion),
	}, silent).Credible(len(r.asked.Shown()), allowed, said)
}
