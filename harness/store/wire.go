package store

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"infnet/backends"
)

// codec is how lines are written and read. A text that is not UTF-8, as a token can be half a character, is
// {"b64": …}. JSON has no infinities and no NaN: they are the strings "inf", "-inf" and "nan". A mass is its two
// bounds, equal where it was measured.
var codec = json.JoinOptions(
	jsonv1.FormatDurationAsNano(true),
	json.WithMarshalers(json.JoinMarshalers(json.MarshalToFunc(writeText[string]),
		json.MarshalToFunc(writeText[backends.Finish]), json.MarshalToFunc(writeNumber),
		json.MarshalToFunc(func(e *jsontext.Encoder, m backends.Mass) error {
			return json.MarshalEncode(e, [2]float64{m.Low, m.High})
		}))),
	json.WithUnmarshalers(json.JoinUnmarshalers(json.UnmarshalFromFunc(readText[string]),
		json.UnmarshalFromFunc(readText[backends.Finish]), json.UnmarshalFromFunc(readNumber),
		json.UnmarshalFromFunc(func(d *jsontext.Decoder, m *backends.Mass) error {
			var bounds [2]float64
			err := json.UnmarshalDecode(d, &bounds)
			*m = backends.Mass{Low: bounds[0], High: bounds[1]}
			return err
		}))))

type rawText struct {
	B64 []byte `json:"b64"`
}

func writeText[T ~string](e *jsontext.Encoder, t T) error {
	if utf8.ValidString(string(t)) {
		return e.WriteToken(jsontext.String(string(t)))
	}
	return json.MarshalEncode(e, rawText{[]byte(t)})
}

func readText[T ~string](d *jsontext.Decoder, t *T) error {
	if d.PeekKind() == '{' {
		var r rawText
		err := json.UnmarshalDecode(d, &r)
		*t = T(r.B64)
		return err
	}
	token, err := d.ReadToken()
	if err == nil && token.Kind() != '"' {
		err = fmt.Errorf("%s where a text is due", token)
	}
	*t = T(token.String())
	return err
}

func writeNumber(e *jsontext.Encoder, f float64) error {
	switch {
	case math.IsNaN(f):
		return e.WriteToken(jsontext.String("nan"))
	case math.IsInf(f, 1):
		return e.WriteToken(jsontext.String("inf"))
	case math.IsInf(f, -1):
		return e.WriteToken(jsontext.String("-inf"))
	}
	return e.WriteToken(jsontext.Float(f))
}

func readNumber(d *jsontext.Decoder, f *float64) error {
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	if token.Kind() == '0' {
		*f, err = token.Float()
		return err
	}
	switch token.String() {
	case "nan":
		*f = math.NaN()
	case "inf":
		*f = math.Inf(1)
	case "-inf":
		*f = math.Inf(-1)
	default:
		return fmt.Errorf("%s is not a number, \"inf\", \"-inf\" or \"nan\"", token)
	}
	return nil
}

// wireAnswer is an answer as its line shows it.
type wireAnswer struct {
	Key     backends.Key `json:"key"` // first: the index reads it without decoding the line
	Example string       `json:"id"`
	backends.Answer
	Equal int `json:"equal,omitzero"` // tokens, of which one is written
}

// appendAnswer appends an answer's line, without its checksum.
func appendAnswer(b []byte, r Record) ([]byte, error) {
	w, line := bytes.NewBuffer(b), wireAnswer{Key: r.Answer.Key, Example: r.Example, Answer: r.Answer}
	if backends.Equal(line.Tokens) {
		line.Tokens, line.Equal = line.Tokens[:1], len(line.Tokens)
	}
	err := json.MarshalWrite(w, line, codec)
	return w.Bytes(), err
}

// mostEqual bounds the memory that a line can claim.
const mostEqual = 1 << 20

// decodeAnswer reads the line of an answer.
func decodeAnswer(line []byte) (Record, error) {
	var w wireAnswer
	if err := json.Unmarshal(line, &w, codec); err != nil {
		return Record{}, err
	}
	switch {
	case w.Equal < 0 || w.Equal > mostEqual || w.Equal > 0 && len(w.Tokens) != 1:
		return Record{}, fmt.Errorf("%d equal tokens, of which %d are written", w.Equal, len(w.Tokens))
	case w.Equal > 0:
		w.Tokens = slices.Repeat(w.Tokens, w.Equal)
	}
	w.Answer.Key = w.Key
	return Record{w.Example, w.Answer}, nil
}

// maxMessage bounds a recorded failure's message, in bytes.
const maxMessage = 2000

func encodeFailure(f Failed) ([]byte, error) {
	if m := f.Failure.Message; len(m) > maxMessage {
		f.Failure.Message = strings.ToValidUTF8(m[:maxMessage], "") + "…"
	}
	return json.Marshal(f, codec)
}

func decodeFailure(line []byte) (f Failed, err error) {
	err = json.Unmarshal(line, &f, codec)
	return f, err
}

// wireVector is an embedding as its line shows it: float32, little-endian, base64.
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

// wireGrade is a grade as its line shows it.
type wireGrade struct {
	Key   backends.Key `json:"key"`             // of the pair
	Score *float64     `json:"score,omitempty"` // absent = undecided
}
