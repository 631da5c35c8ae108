package extract

import (
	"encoding/json"
	"strconv"
	"strings"
)

// longest is how much of a reply is read as JSON, counted again for each attempt: a million bytes.
const longest = 1 << 20

// valueAt finds the value at a path, such as answer.value or steps[0], in the last JSON object or array of a text.
func valueAt(path string) finder {
	keys := strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
	return func(text string, _ bool) (first, last int) {
		first, last = 0, -1
		for i, read := 0, 0; i < len(text) && read < longest; i++ {
			if text[i] != '{' && text[i] != '[' {
				continue
			}
			var value json.RawMessage
			d := json.NewDecoder(strings.NewReader(text[i:]))
			if err := d.Decode(&value); err != nil {
				read += len(text) - i
				continue
			}
			end := i + int(d.InputOffset())
			first, last = i, end
			i = end - 1
		}
		if last < 0 {
			return 0, -1
		}
		return descend(text, first, last, keys)
	}
}

// descend finds the value at a path within the valid JSON value that is text[first:last]. A key that is there twice
// has no value.
func descend(text string, first, last int, keys []string) (int, int) {
	if len(keys) == 0 {
		return first, last
	}
	d := json.NewDecoder(strings.NewReader(text[first:last]))
	opened, _ := d.Token()
	found, to := 0, -1
	for n := 0; d.More(); n++ {
		name := strconv.Itoa(n)
		if opened == json.Delim('{') {
			key, _ := d.Token()
			name, _ = key.(string)
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return 0, -1 // the value is a text or a number: it has no more below it
		}
		if name != keys[0] {
			continue
		}
		if to >= 0 {
			return 0, -1
		}
		end := first + int(d.InputOffset())
		found, to = end-len(value), end
	}
	if to < 0 {
		return 0, -1
	}
	return descend(text, found, to, keys[1:])
}

// unquoted is a string of JSON as it reads; other values are as they are written.
func unquoted(value string) string {
	var s string
	if json.Unmarshal([]byte(value), &s) == nil && value != "null" {
		return strings.TrimSpace(s)
	}
	return value
}
