package store

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"infnet/backends"
)

// text is a string that may not be UTF-8: a token can be half a character.
// Valid text is a JSON string, anything else {"b64": …}.
type text string

type rawText struct {
	B64 []byte `json:"b64"`
}

func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(rawText{[]byte(t)})
}

func (t *text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var r rawText
		if err := json.Unmarshal(b, &r); err != nil {
			return err
		}
		*t = text(r.B64)
		return nil
	}
	return json.Unmarshal(b, (*string)(t))
}

// number is a float64 that reads back with the same bits. JSON has no
// infinities and no NaN: they are the strings "inf", "-inf" and "nan".
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	switch {
	case math.IsNaN(f):
		return []byte(`"nan"`), nil
	case math.IsInf(f, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(f, -1):
		return []byte(`"-inf"`), nil
	}
	return strconv.AppendFloat(nil, f, 'g', -1, 64), nil
}

func (n *number) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case `"nan"`:
		*n = number(math.NaN())
	case `"inf"`:
		*n = number(math.Inf(1))
	case `"-inf"`:
		*n = number(math.Inf(-1))
	default:
		f, err := strconv.ParseFloat(string(b), 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("%s is not a number, \"inf\", \"-inf\" or \"nan\"", b)
		}
		*n = number(f)
	}
	return nil
}

// wireAnswer is an answer as its line shows it.
type wireAnswer struct {
	Key       backends.Key    `json:"key"` // first: the index reads it without decoding the line
	Example   text            `json:"id"`
	Text      text            `json:"text"`
	Tokens    []wireToken     `json:"tokens,omitempty"`
	Labels    []wireLabel     `json:"labels,omitempty"`
	Usage     backends.Usage  `json:"usage"`
	Truncated int             `json:"truncated,omitempty"`
	Unscored  bool            `json:"no_logprobs,omitempty"` // the model gives no log-probabilities
	Given     *number         `json:"confidence,omitempty"`  // the confidence recorded with the answer
	By        string          `json:"by,omitempty"`          // classification: how it was asked
	Mass      *wireMass       `json:"mass,omitempty"`        // classification: the probability on the labels
	Finish    text            `json:"finish,omitempty"`      // generation: why it ended
	Model     text            `json:"model,omitempty"`       // the model's name in the reply
	Grade     *number         `json:"grade,omitempty"`       // recorded with the answer
	Cost      *backends.Money `json:"cost,omitempty"`        // recorded with the answer
	Whole     bool            `json:"whole,omitempty"`       // the one token stands for the whole answer
	Batch     text            `json:"batch,omitempty"`       // the format of the batch file that it came in
	System    text            `json:"system,omitempty"`      // what the reply says of the system behind it
	Latency   time.Duration   `json:"latency_ns"`
}

type wireToken struct {
	Text    text        `json:"t"`
	Logprob number      `json:"lp"`
	End     bool        `json:"end,omitempty"`
	Top     []wireToken `json:"top,omitempty"` // alternatives: t and lp only
}

type wireLabel struct {
	Logprob number `json:"lp"`
	Seen    bool   `json:"seen"`
}

// wireMass is the two bounds of a mass; they are equal where it was measured.
type wireMass [2]number

// decodeAnswer reads the line of an answer.
func decodeAnswer(line []byte) (Record, error) {
	if r, ok := readAnswer(line); ok {
		return r, nil
	}
	return decodeAny(line)
}

// decodeAny decodes a line that has members in another order, or texts that are not UTF-8.
func decodeAny(line []byte) (Record, error) {
	var w wireAnswer
	if err := json.Unmarshal(line, &w); err != nil {
		return Record{}, err
	}
	usage := backends.Believe(w.Usage, w.Text == "" && len(w.Tokens) == 0) // older lines have 0 for what is unknown
	a := backends.Answer{
		Key: w.Key, Text: string(w.Text), Usage: usage, Truncated: w.Truncated, NoLogprobs: w.Unscored,
		By: backends.LabelMode(w.By), Finish: backends.Finish(w.Finish), Model: string(w.Model), Latency: w.Latency,
		Confidence: (*float64)(w.Given), Grade: (*float64)(w.Grade), Cost: w.Cost, Whole: w.Whole,
		Batch: string(w.Batch), System: string(w.System),
	}
	if m := w.Mass; m != nil {
		a.LabelMass = &backends.Mass{Low: float64(m[0]), High: float64(m[1])}
	}
	for _, t := range w.Tokens {
		bt := backends.Token{Text: string(t.Text), Logprob: float64(t.Logprob), End: t.End}
		for _, o := range t.Top {
			bt.Top = append(bt.Top, backends.Alternative{Text: string(o.Text), Logprob: float64(o.Logprob)})
		}
		a.Tokens = append(a.Tokens, bt)
	}
	for _, s := range w.Labels {
		a.Labels = append(a.Labels, backends.LabelScore{Logprob: float64(s.Logprob), Seen: s.Seen})
	}
	return Record{Example: string(w.Example), Answer: a}, nil
}

// wireFailure is a failed request as its line shows it.
type wireFailure struct {
	Key     backends.Key   `json:"key"`
	Example text           `json:"id"`
	Cause   backends.Cause `json:"cause"`
	Status  int            `json:"status,omitempty"`
	Message text           `json:"message"`
}

// maxMessage bounds a recorded failure's message, in bytes.
const maxMessage = 2000

func encodeFailure(f Failed) ([]byte, error) {
	m := f.Failure.Message
	if len(m) > maxMessage {
		m = strings.ToValidUTF8(m[:maxMessage], "")
		m += "…"
	}
	return json.Marshal(wireFailure{f.Key, text(f.Example), f.Failure.Cause, f.Failure.Status, text(m)})
}

func decodeFailure(line []byte) (Failed, error) {
	var w wireFailure
	if err := json.Unmarshal(line, &w); err != nil {
		return Failed{}, err
	}
	return Failed{w.Key, string(w.Example),
		backends.Failure{Cause: w.Cause, Status: w.Status, Message: string(w.Message)}}, nil
}

// wireVector is an embedding as its line shows it: float32, little-endian,
// base64.
type wireVector struct {
	Key    backends.Key `json:"key"` // SHA-256 of the text
	Dim    int          `json:"dim"`
	Vector []byte       `json:"v"`
}

// wireScore is a score as its line shows it.
type wireScore struct {
	Key   backends.Key `json:"key"` // of the pair
	Score float32      `json:"score"`
}
