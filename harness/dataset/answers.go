package dataset

// AnswerColumns name what is what in a table, as column paths. "" is the default name, which then need not be there.
type AnswerColumns struct {
	ID               string // "id": the example's id
	Dataset          string // no default: the dataset's name in the study, for a file of several
	Text             string // "text": what the model said
	Label            string // "label": the class it chose, as the data or the model write it; backends.NoColumn = none
	Confidence       string // "confidence": β, in [0,1]
	Probs            string // "probs": probability per label, as an object by label or a list in their order
	Logprobs         string // "logprobs": the same as natural logarithms, up to a constant
	Tokens           string // "tokens": the texts of the generated tokens
	TokenLogprobs    string // "token_logprobs": their natural log-probabilities
	Logprob          string // "logprob": their sum, null for minus infinity; of a text it needs completion_tokens
	PromptTokens     string // "prompt_tokens"
	CompletionTokens string // "completion_tokens"
	Latency          string // "latency", in seconds
	Finish           string `json:",omitempty"` // "finish_reason": why the answer ended, in any server's words
}

// AnswerFacts say where grades, costs and the like are in a table of answers, as column paths;
// "" is the default name, which need not be there.
type AnswerFacts struct {
	Correct         string // "correct": the grade, 0, 1, true or false
	Score           string // "score": the grade, in [0,1]
	Cost            string // "cost" or "cost_usd": what the answer cost, ≥ 0
	Currency        string // "currency": of that cost
	LatencyMS       string // "latency_ms": as AnswerColumns.Latency, in milliseconds
	CachedTokens    string // "cached_tokens": prompt tokens from the vendor's cache
	ReasoningTokens string // "reasoning_tokens": generated tokens that the answer does not show
}

// ByRole are the columns that a table of answers may have, by what they hold.
func (c *AnswerColumns) ByRole(f *AnswerFacts) map[Role]*string {
	return map[Role]*string{"id": &c.ID, "dataset": &c.Dataset, "text": &c.Text, "label": &c.Label,
		"confidence": &c.Confidence, "probs": &c.Probs, "logprobs": &c.Logprobs, "tokens": &c.Tokens,
		"token_logprobs": &c.TokenLogprobs, "logprob": &c.Logprob, "prompt_tokens": &c.PromptTokens,
		"completion_tokens": &c.CompletionTokens, "latency": &c.Latency, "latency_ms": &f.LatencyMS,
		"finish_reason": &c.Finish, "correct": &f.Correct, "score": &f.Score, "cost": &f.Cost, "currency": &f.Currency,
		"cached_tokens": &f.CachedTokens, "reasoning_tokens": &f.ReasoningTokens}
}
