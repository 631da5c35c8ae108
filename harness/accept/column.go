package accept

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
)

// Column has a value per record. In JSON it is one text: the list of its values as JSON, compressed with deflate, in
// base64.
type Column[T any] []T

// mostBytes bounds what a column may unpack to: a damaged or hostile file must not fill the memory.
const mostBytes = 1 << 28

// MarshalJSON packs the column.
func (c Column[T]) MarshalJSON() ([]byte, error) {
	list, err := json.Marshal([]T(c))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(list); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return json.Marshal(base64.StdEncoding.EncodeToString(out.Bytes()))
}

// UnmarshalJSON unpacks the column.
func (c *Column[T]) UnmarshalJSON(text []byte) error {
	var packed []byte // JSON has bytes in base64
	if err := json.Unmarshal(text, &packed); err != nil {
		return fmt.Errorf("a column is damaged: %w", err)
	}
	list, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), mostBytes))
	if err == nil {
		err = json.Unmarshal(list, (*[]T)(c))
	}
	if err != nil {
		return fmt.Errorf("a column is damaged: %w", err)
	}
	return nil
}
