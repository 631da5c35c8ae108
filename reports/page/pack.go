package page

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
)

// theta is a threshold, which may be infinite: then it is a text, as JSON has no such number.
type theta float64

// MarshalJSON writes a finite threshold as a number.
func (x theta) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(x), 0) {
		return json.Marshal(fmt.Sprint(float64(x)))
	}
	return json.Marshal(float64(x))
}

// deflated packs a text. One version of Go gives equal bytes for equal texts.
func deflated(text []byte) (string, error) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(text); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}
