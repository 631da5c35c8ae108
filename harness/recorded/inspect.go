package recorded

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"infnet/backends"
	"infnet/backends/strictjson"
)

// inspectHead is what is read of a log's header.
type inspectHead struct {
	model, task string
}

// take reads one key of a log.
func (h *inspectHead) take(key string, value json.RawMessage) error {
	if key != "eval" {
		return nil
	}
	var eval struct {
		Task  string `json:"task"`
		Model string `json:"model"`
	}
	if err := json.Unmarshal(value, &eval); err != nil {
		return fmt.Errorf("eval: %w", err)
	}
	h.model, h.task = eval.Model, eval.Task
	return nil
}

type inspectSample struct {
	ID     json.RawMessage `json:"id"` // a text or a whole number
	Epoch  int             `json:"epoch"`
	Input  json.RawMessage `json:"input"`  // a text or a list of messages
	Target json.RawMessage `json:"target"` // a text or a list of texts
	Output struct {
		Completion *string         `json:"completion"`
		Choices    []inspectChoice `json:"choices"`
		Usage      inspectUsage    `json:"usage"`
		Time       *float64        `json:"time"` // seconds
		Error      string          `json:"error"`
	} `json:"output"`
	Scores map[string]inspectScore `json:"scores"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// inspectUsage counts tokens: those from the cache are not among the input, those of reasoning are among the output.
type inspectUsage struct {
	Input      *int     `json:"input_tokens"`
	Output     *int     `json:"output_tokens"`
	CacheRead  *int     `json:"input_tokens_cache_read"`
	CacheWrite *int     `json:"input_tokens_cache_write"`
	Cost       *float64 `json:"total_cost"` // USD; newer versions
}

type inspectScore struct {
	Value json.RawMessage `json:"value"`
}

type inspectChoice struct {
	StopReason string `json:"stop_reason"`
	Message    struct {
		Content json.RawMessage `json:"content"` // a text or a list of parts
	} `json:"message"`
	Logprobs *struct {
		Content []struct {
			Token   string   `json:"token"`
			Logprob *float64 `json:"logprob"`
		} `json:"content"`
	} `json:"logprobs"`
}

// inspectRow reads one sample.
func inspectRow(raw json.RawMessage, place string, o Options, log inspectHead, use func(Row) error) error {
	var s inspectSample
	if err := strictjson.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("%s: %w", place, notFinite(err))
	}
	if s.Epoch > 1 {
		if o.Later != nil {
			o.Later()
		}
		return nil
	}
	a, err := s.answer()
	if err == nil && o.Facts.Wanted {
		err = s.graded(&a, o)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	a.Place, a.Model, a.Task, a.References = place, log.model, log.task, texts(s.Target)
	a.Question, _ = content(s.Input)
	var messages []inspectMessage
	if json.Unmarshal(s.Input, &messages) == nil {
		for _, m := range messages {
			if m.Role == "user" || m.Role == "" {
				a.Question, _ = content(m.Content)
			}
		}
	}
	return use(a)
}

type inspectMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// texts are a text or a list of texts.
func texts(raw json.RawMessage) []string {
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return list
	}
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	return nil
}

// graded reads the grade of the one scorer, or of the one that the options name: C, I, P and N are correct,
// incorrect, partial and no answer.
func (s inspectSample) graded(a *Row, o Options) error {
	if cost := s.Output.Usage.Cost; cost != nil {
		if err := a.costs(*cost, "USD", o.Facts.In); err != nil {
			return err
		}
	}
	names := slices.Sorted(maps.Keys(s.Scores))
	name := o.Filter
	switch {
	case len(names) == 0:
		return nil
	case name == "" && len(names) > 1:
		return fmt.Errorf("several scorers graded it: choose one with answers_filter (import: --filter); there are %q", names)
	case name == "":
		name = names[0]
	}
	score, ok := s.Scores[name]
	if !ok {
		return fmt.Errorf("no scorer %q (answers_filter): there are %q", name, names)
	}
	value := fromJSON(string(score.Value))
	var g float64
	var err error
	word, _ := value.(string)
	right, isTruth := value.(bool)
	switch {
	case word == "C", isTruth && right:
		g = 1
	case word == "I", word == "N", isTruth:
	case word == "P":
		g = 0.5
	default:
		g, err = number(value)
	}
	if err != nil || g < 0 || g > 1 {
		return fmt.Errorf("the scorer %q says %s, which is no grade: want C, I, P, N, a truth value or a number from 0 to 1",
			name, show(value))
	}
	a.Grade = &g
	return nil
}

func (s inspectSample) answer() (Row, error) {
	var a Row
	var id any
	if len(s.ID) > 0 {
		id = fromJSON(string(s.ID))
	}
	switch id := id.(type) {
	case string:
		a.IDs = []string{id}
	case json.Number:
		a.IDs = []string{id.String()}
	}
	if len(a.IDs) == 0 || a.IDs[0] == "" {
		return a, errors.New("it has no id")
	}
	switch {
	case s.Error != nil:
		a.Fault = "the sample ended in an error: " + s.Error.Message
		return a, nil
	case s.Output.Error != "":
		a.Fault = "the model gave an error: " + s.Output.Error
		return a, nil
	case s.Output.Completion != nil:
		a.Text = *s.Output.Completion
	case len(s.Output.Choices) > 0:
		var ok bool
		if a.Text, ok = content(s.Output.Choices[0].Message.Content); !ok {
			a.Fault = "the sample has no text"
			return a, nil
		}
	default:
		a.Fault = "the sample has no output"
		return a, nil
	}
	a.Said = true
	if len(s.Output.Choices) > 0 && s.Output.Choices[0].StopReason != "" {
		a.Finish = backends.FinishOf(s.Output.Choices[0].StopReason, false)
	}
	if err := s.Output.Usage.count(&a.Usage); err != nil {
		return a, err
	}
	if t := s.Output.Time; t != nil {
		if err := a.took(*t, time.Second); err != nil {
			return a, err
		}
	}
	if len(s.Output.Choices) > 0 && s.Output.Choices[0].Logprobs != nil {
		for k, t := range s.Output.Choices[0].Logprobs.Content {
			if err := known(t.Logprob); err != nil {
				return a, fmt.Errorf("token %d %w", k+1, err)
			}
			a.Tokens = append(a.Tokens, backends.Token{Text: t.Token, Logprob: *t.Logprob})
		}
	}
	return a, nil
}

// count adds up what a vendor bills: the input with what was read from and written to its cache.
func (u inspectUsage) count(into *backends.Usage) error {
	if err := counted(u.Input, &into.Prompt); err != nil {
		return err
	}
	if err := counted(u.Output, &into.Completion); err != nil {
		return err
	}
	for _, cached := range []*int{u.CacheRead, u.CacheWrite} {
		if cached == nil || u.Input == nil {
			continue
		}
		if *cached < 0 {
			return fmt.Errorf("%d cached tokens: a count cannot be negative", *cached)
		}
		into.Prompt = into.Prompt.Plus(backends.Counted(*cached))
	}
	if u.CacheRead != nil && u.Input != nil {
		into.Cached = *u.CacheRead
	}
	return nil
}

// unknown is what servers write for a log-probability that they do not report.
const unknown = -9999

// known refuses what is no log-probability of a token.
func known(lp *float64) error {
	switch {
	case lp == nil || *lp <= unknown:
		return fmt.Errorf("has no log-probability (null or %v means unknown), and without one the answer's is not known",
			unknown)
	case *lp > 1e-3:
		return fmt.Errorf("has log-probability %v", *lp)
	}
	return nil
}

// content is a message's text: a text, or the texts of its parts.
func content(raw json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, len(raw) > 0 && string(raw) != "null"
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", false
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Type == "text" {
			b.WriteString(p.Text)
		}
	}
	return b.String(), true
}
