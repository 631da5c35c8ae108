package recorded

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"infnet/backends"
	"infnet/backends/strictjson"
)

// inspectLog is what is read of an Inspect evaluation log in JSON.
type inspectLog struct {
	Status  string          `json:"status"`
	Samples []inspectSample `json:"samples"`
}

type inspectSample struct {
	ID     json.RawMessage `json:"id"` // a text or a whole number
	Epoch  int             `json:"epoch"`
	Output struct {
		Completion *string         `json:"completion"`
		Choices    []inspectChoice `json:"choices"`
		Usage      struct {
			Input  *int `json:"input_tokens"`
			Output *int `json:"output_tokens"`
		} `json:"usage"`
		Time  *float64 `json:"time"` // seconds
		Error string   `json:"error"`
	} `json:"output"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
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

// readInspect reads an Inspect log: the first epoch of every sample. A sample
// that ended in an error has no answer.
func readInspect(o Options) ([]Row, error) {
	f, err := open(o)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseInspect(f)
}

func parseInspect(r io.Reader) ([]Row, error) {
	var log inspectLog
	body, err := io.ReadAll(r)
	if err == nil {
		err = strictjson.Unmarshal(body, &log)
	}
	if err != nil {
		return nil, fmt.Errorf("no Inspect log in JSON: %w", err)
	}
	var out []Row
	for i, s := range log.Samples {
		if s.Epoch > 1 {
			continue
		}
		a, err := s.answer()
		if err != nil {
			return nil, fmt.Errorf("sample %d: %w", i+1, err)
		}
		a.Place = fmt.Sprintf("sample %d", i+1)
		out = append(out, a)
	}
	return out, nil
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
	for _, c := range []struct {
		stated *int
		into   *backends.Count
	}{{s.Output.Usage.Input, &a.Usage.Prompt}, {s.Output.Usage.Output, &a.Usage.Completion}} {
		if c.stated == nil {
			continue
		}
		if *c.stated < 0 {
			return a, fmt.Errorf("%d tokens: a count cannot be negative", *c.stated)
		}
		*c.into = backends.Counted(*c.stated)
	}
	if t := s.Output.Time; t != nil {
		if !(*t >= 0 && *t <= 1e6) {
			return a, fmt.Errorf("%v is no time in seconds", *t)
		}
		a.Latency = time.Duration(math.Round(*t * float64(time.Second)))
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
