package strictjson_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"infnet/backends/strictjson"
)

type token struct {
	Text string             `json:"token"`
	LP   *float64           `json:"logprob"`
	Top  []token            `json:"top"`
	By   map[string]float64 `json:"by"`
	Raw  json.RawMessage    `json:"raw"`
}

type reply struct {
	ID      string  `json:"id"`
	Choices []token `json:"choices"`
}

// What can be read in two ways, at every level that is read; what is not read
// may say what it likes.
func TestUnmarshal(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       string // in the error; "" = accepted
	}{
		{"plain", `{"id":"x","choices":[{"token":"a","logprob":-1,"top":[{"token":"b"}],"by":{"a":1,"A":2}}]}`, ""},
		{"nothing", `null`, ""},
		{"empty", `{}`, ""},
		{"blanks everywhere", " { \"id\" : \"x\" , \"choices\" : [ { \"token\" : \"a\" } , { } ] } ", ""},
		{"a member twice", `{"id":"x","id":"x"}`, `"id" is repeated`},
		{"a list twice", `{"choices":[{"token":"a"}],"id":"x","choices":[]}`, `"choices" is repeated`},
		{"twice within", `{"choices":[{"token":"a","logprob":-1,"logprob":-2}]}`, `"logprob" is repeated`},
		{"twice deep within", `{"choices":[{"top":[{"top":[{"token":"a","token":"b"}]}]}]}`, `"token" is repeated`},
		{"twice in a table", `{"choices":[{"by":{" yes":-1," no":-2," yes":-3}}]}`, `" yes" is repeated`},
		{"twice, once escaped", `{"id":"x","\u0069d":"y"}`, `"id" is repeated`},
		{"another letter case", `{"Choices":[]}`, `"Choices" is "choices" in other letters`},
		{"another case within", `{"choices":[{"LogProb":-1}]}`, "in other letters"},
		{"another case, escaped", `{"\u0043hoices":[]}`, "in other letters"},
		{"a long s", `{"choiceſ":[]}`, "in other letters"},
		{"another case of a table's name is another name", `{"choices":[{"by":{"Yes":-1,"yes":-2}}]}`, ""},
		{"many names in a table", `{"choices":[{"by":{` + many(100, "") + `}}]}`, ""},
		{"many names, one twice", `{"choices":[{"by":{` + many(100, `,"n77":1`) + `}}]}`, `"n77" is repeated`},
		{"twice where nothing is read",
			`{"other":{"a":1,"a":2},"x":1,"x":2,"choices":[{"raw":{"a":1,"a":[{"}":"]"}]}}]}`, ""},
		{"no UTF-8", "{\"id\":\"\xff\"}", "no valid UTF-8"},
		{"no UTF-8 where nothing is read", "{\"other\":\"\xc3\"}", "no valid UTF-8"},
		{"half a pair", `{"id":"\ud83d"}`, "half a surrogate pair"},
		{"the other half", `{"id":"a\ude00b"}`, "half a surrogate pair"},
		{"a pair", `{"id":"\ud83d\ude00"}`, ""},
		{"an escaped backslash before u", `{"id":"\\ud83d"}`, ""},
		{"half a pair in a name", `{"choices":[{"by":{"\ud83d":1}}]}`, "half a surrogate pair"},
		{"half a pair where nothing is read", `{"other":"\ud83d"}`, ""},
		{"no JSON", `{"id":`, "unexpected end"},
		{"more than one value", `{}{}`, "after top-level value"},
		{"another type", `{"id":3}`, "cannot unmarshal"},
	} {
		var r reply
		err := strictjson.Unmarshal([]byte(test.body), &r)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func many(n int, more string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"n%d":1`, i)
	}
	return b.String() + more
}

// Whatever it accepts, encoding/json accepts and reads alike; and nothing makes
// it panic.
func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(`{"id":"x","choices":[{"token":"a","by":{"a":1},"top":[{"raw":[1,{}]}]}]}`))
	f.Add([]byte(`{"id":"\ud83d","x":{"a":[1,"]"]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var a, b reply
		if strictjson.Unmarshal(body, &a) != nil {
			return
		}
		if err := json.Unmarshal(body, &b); err != nil {
			t.Fatal(err)
		}
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		if !bytes.Equal(x, y) {
			t.Errorf("%s, encoding/json reads %s", x, y)
		}
	})
}
