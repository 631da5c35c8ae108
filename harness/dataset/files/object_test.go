package files

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// bySlowPath is what the line says by encoding/json, and whether it is a row at all.
func bySlowPath(line []byte) (map[string]any, bool) {
	values, fault := inspectObject(line)
	return values, fault == nil
}

// Whatever the fast reader accepts, encoding/json reads as the same values.
func TestObjectsAreReadAsByTheStandardLibrary(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		fast       bool
	}{
		{"plain", `{"id":"a","n":-1.50e+3,"t":true,"f":false,"x":null}`, true},
		{"nested", ` { "a" : [ 1 , {"b":[]} , "c" ] , "d" : {} } ` + "\r", true},
		{"escapes", `{"a":"\"\\\/\b\f\n\r\tü\u00fc\ud83d\ude00","k\u0065y":1}`, true},
		{"long text before an escape", `{"a":"` + strings.Repeat("x", 100) + `\n` + strings.Repeat("ÿ", 9) + `"}`, true},
		{"empty", `{}`, true},
		{"DEL and high bytes are plain", "{\"a\":\"\x7f\u0080\u00ff\U0010ffff\"}", true},
		{"a key twice", `{"a":1,"a":2}`, false},
		{"a key twice, once escaped", `{"a":1,"\u0061":2}`, false},
		{"half a pair", `{"a":"\ud83d"}`, false},
		{"half a pair and an escape", `{"a":"\ud83d\u0041"}`, false},
		{"a low half first", `{"a":"\ude00"}`, false},
		{"no UTF-8", "{\"a\":\"\xff\"}", false},
		{"a control character", "{\"a\":\"\x1f\"}", false},
		{"a control character after an escape", "{\"a\":\"\\n\x01\"}", false},
		{"a leading zero", `{"a":01}`, false},
		{"a lone minus", `{"a":-}`, false},
		{"no digit after the point", `{"a":1.}`, false},
		{"no exponent", `{"a":1e}`, false},
		{"a plus", `{"a":+1}`, false},
		{"NaN", `{"a":NaN}`, false},
		{"a trailing comma", `{"a":1,}`, false},
		{"a trailing comma in a list", `{"a":[1,]}`, false},
		{"cut", `{"a":"b`, false},
		{"cut in a word", `{"a":tru`, false},
		{"goes on", `{"a":1} {`, false},
		{"a list", `[1]`, false},
		{"nothing", ``, false},
		{"an unknown escape", `{"a":"\x"}`, false},
		{"a short escape", `{"a":"\u00"}`, false},
		{"deep", `{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := readObject([]byte(tt.line), &keys{})
			if ok != tt.fast {
				t.Fatalf("accepted: %v, want %v", ok, tt.fast)
			}
			want, valid := bySlowPath([]byte(tt.line))
			if ok && (!valid || !reflect.DeepEqual(got, want)) {
				t.Errorf("read %#v, encoding/json %#v (%v)", got, want, valid)
			}
		})
	}
}

// Any change to a line leaves the two readers in agreement.
func TestChangedObjectsAreReadAsByTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOf(rapid.String(), rapid.OneOf(
			rapid.Map(rapid.String(), func(s string) any { return s }),
			rapid.Map(rapid.Float64Range(-1e9, 1e9), func(f float64) any { return f }),
			rapid.Map(rapid.SliceOfN(rapid.Bool(), 0, 3), func(l []bool) any { return l }),
		)).Draw(t, "object")
		line, err := json.Marshal(object)
		if err != nil {
			t.Skip()
		}
		for range rapid.IntRange(0, 2).Draw(t, "changes") {
			at := rapid.IntRange(0, len(line)-1).Draw(t, "at")
			line[at] = rapid.SampledFrom([]byte(`"\{}[]:,u0123abtn x`+"\x00\x1f\xff\n")).Draw(t, "byte")
		}
		line = bytes.Clone(line)
		got, ok := readObject(line, &keys{})
		want, valid := bySlowPath(line)
		if ok && (!valid || !reflect.DeepEqual(got, want)) {
			t.Fatalf("%q: read %#v, encoding/json %#v (%v)", line, got, want, valid)
		}
	})
}
