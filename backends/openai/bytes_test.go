package openai

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// A list of bytes is read as encoding/json reads numbers, however it is written.
func TestPlainBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.StringOfN(rapid.SampledFrom([]rune(`[],0123456789 -.e`)), 0, 12, -1),
			rapid.Map(rapid.SliceOf(rapid.IntRange(0, 300)), func(list []int) string {
				b, _ := json.Marshal(list)
				return string(b)
			})).Draw(t, "text")
		got, ok := plainBytes([]byte(text))
		if !ok {
			return
		}
		var list []uint16
		err := json.Unmarshal([]byte(text), &list)
		var want []byte
		for _, v := range list {
			if v > 255 {
				t.Fatalf("%s was read", text)
			}
			want = append(want, byte(v))
		}
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s: read %v, want %v (%v)", text, got, want, err)
		}
	})
}
