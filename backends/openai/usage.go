package openai

import "infnet/backends"

// usage is what a server says that a call took. Servers leave out all of it
// (or write zeros), or the counts that they do not keep.
type usage struct {
	Prompt     *int `json:"prompt_tokens"`
	Completion *int `json:"completion_tokens"`
	Total      *int `json:"total_tokens"`
	Details    struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// check refuses counts that no call can have taken.
func (u usage) check() *backends.Failure {
	prompt, completion, total := stated(u.Prompt), stated(u.Completion), stated(u.Total)
	switch {
	case min(prompt, completion, total, u.Details.Cached) < 0:
		return badResponse("the usage has negative token counts")
	case total > 0 && prompt > total-completion:
		return badResponse("the usage says %d prompt and %d completion tokens, and %d in total", prompt, completion, total)
	}
	return nil
}

// stated is a count as it stands; 0 = it does not.
func stated(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// spent is the call's usage as far as it is known. Of a total and one part the
// other follows. A part that is missing, or 0 where it cannot be (of a prompt;
// of an answer that says something), is unknown. So is a prompt of fewer tokens
// than were cached of it: such servers count the cached ones apart, and whether
// all of them are the prompt's nobody says.
func (r *response) spent() backends.Usage {
	u := r.Usage
	prompt, completion, total := stated(u.Prompt), stated(u.Completion), stated(u.Total)
	switch {
	case prompt > 0 && u.Completion == nil && total > prompt:
		completion = total - prompt
	case completion > 0 && prompt == 0 && total > completion:
		prompt = total - completion
	}
	if u.Details.Cached > prompt {
		prompt = 0
	}
	text, _ := r.text()
	c := r.Choices[0]
	silent := text == "" && (c.Logprobs == nil || len(c.Logprobs.Content)+len(c.Logprobs.Tokens) == 0) &&
		(c.Message == nil || !holds(c.Message.Reasoning) && !holds(c.Message.ReasoningContent) &&
			!holds(c.Message.ToolCalls) && !holds(c.Message.FunctionCall))
	return backends.Believe(backends.Usage{
		Prompt: backends.Counted(prompt), Completion: backends.Counted(completion), Cached: u.Details.Cached,
	}, silent)
}
