package page

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"math"
)

// Columns of numbers are base64 in the page: of LEB128 for whole numbers, of 64-bit floats for thresholds.

// steps packs numbers of any sign as the differences of neighbours, 2d for d ≥ 0 and −2d−1 below.
func steps[T int | int64](column []T) string {
	var b []byte
	last := int64(0)
	for _, v := range column {
		b = binary.AppendVarint(b, int64(v)-last)
		last = int64(v)
	}
	return base64.StdEncoding.EncodeToString(b)
}

// floats packs numbers exactly, little endian.
func floats(column []float64) string {
	var b []byte
	for _, v := range column {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return base64.StdEncoding.EncodeToString(b)
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
