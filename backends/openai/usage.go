package openai

import "infnet/backends"

// usage is a call's usage as the server reports it. Servers omit all of it (or write zeros), or the
// counts that they do not keep.
type usage struct {
	Prompt     *int `json:"prompt_tokens"`
	Completion *int `json:"completion_tokens"`
	Total      *int `json:"total_tokens"`
	Details    struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Within struct {
		Thoughts int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
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

// stated returns a reported count; 0 = not reported.
func stated(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// spent is the call's usage as far as it is known. A total and one part give the other part. A part
// is unknown if it is missing, or 0 where it cannot be 0 (a prompt; an answer with text). A prompt
// with fewer tokens than its cached ones is unknown too: such servers count cached tokens
// separately, and it is unclear whether all of them belong to the prompt. So is what the call cannot have taken.
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
	thought := u.Within.Thoughts > 0 || c.thinks() || c.calls()
	silent := text == "" && !thought && (c.Logprobs == nil || len(c.Logprobs.Content)+len(c.Logprobs.Tokens) == 0)
	said := len(text)
	if thought {
		said = -1
	}
	return backends.Believe(backends.Usage{
		Prompt: backends.Counted(prompt), Completion: backends.Counted(completion), Cached: u.Details.Cached,
	}, silent).Credible(len(r.asked.prompt), r.asked.maxTokens, said)
}
