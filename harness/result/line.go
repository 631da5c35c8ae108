package result

import (
	"bytes"
	"fmt"
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lines is how records.jsonl is written: as encoding/json does without escapes for HTML.
var lines = json.JoinOptions(json.Deterministic(true), json.FormatNilSliceAsNull(true), jsontext.EscapeForJS(true),
	jsontext.AllowInvalidUTF8(true))

// AppendLine appends the record's line of records.jsonl, with its line end.
func (r *Record) AppendLine(b []byte) ([]byte, error) {
	w := bytes.NewBuffer(b)
	if err := json.MarshalWrite(w, r, lines); err != nil {
		return b, fmt.Errorf("record %s: %w", r.ID, err)
	}
	return append(w.Bytes(), '\n'), nil
}

// MarshalJSONTo writes the number, "inf", "-inf" or null.
func (f Float) MarshalJSONTo(e *jsontext.Encoder) error {
	switch v := float64(f); {
	case math.IsNaN(v):
		return e.WriteToken(jsontext.Null)
	case math.IsInf(v, 1):
		return e.WriteToken(jsontext.String("inf"))
	case math.IsInf(v, -1):
		return e.WriteToken(jsontext.String("-inf"))
	default:
		return e.WriteToken(jsontext.Float(v))
	}
}

// MarshalJSON is MarshalJSONTo for encoding/json.
func (f Float) MarshalJSON() ([]byte, error) { return json.Marshal(f) }
