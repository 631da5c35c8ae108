package strictjson_test

import (
	"errors"
	"strings"
	"testing"

	"infnet/backends/strictjson"
)

type token struct {
	Text string             `json:"token"`
	LP   *float64           `json:"logprob"`
	Top  []token            `json:"top"`
	By   map[string]float64 `json:"by"`
	N    int                `json:"n"`
	Sure bool               `json:"sure"`
	B    []*uint8           `json:"bytes"`
	Own  own                `json:"own"`
}

type own struct{}

func (*own) UnmarshalJSON([]byte) error { return errors.New("of no use") }

// What can be read in two ways, and what has another type; the words are the same in every process.
func TestUnmarshal(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{ // want = the error's end; "" = accepted
		{"plain", `{"token":"x","logprob":-1,"top":[{"token":"b"}],"by":{"a":1,"A":2},"bytes":[1,null]}`, ""},
		{"nothing", `null`, ""},
		{"another letter case is another member", `{"Token":1,"token":"x"}`, ""},
		{"a pair", `{"token":"\ud83d\ude00"}`, ""},
		{"a member twice", `{"token":"x","token":"x"}`, `duplicate object member name "token"`},
		{"twice, once escaped", `{"token":"x","\u0074oken":"y"}`, `duplicate object member name "token"`},
		{"twice deep within", `{"top":[{"top":[{"n":1,"n":1}]}]}`, `duplicate object member name "n" within "/top/0/top/0"`},
		{"twice in a table", `{"by":{" yes":-1," yes":-3}}`, `duplicate object member name " yes" within "/by"`},
		{"no UTF-8", "{\"token\":\"\xff\"}", `invalid UTF-8 within "/token" after offset 10`},
		{"half a pair", `{"token":"\ud83d"}`, `in string within "/token" after offset 10`},
		{"cut", `{"token":`, `unexpected EOF within "/token" after offset 9`},
		{"more than one value", `{}{}`, "after top-level value after offset 2"},
		{"a number for a text", `{"token":3}`, "token is the JSON value number, want a text"},
		{"a text for a number", `{"top":[{"logprob":"x"}]}`, "top.0.logprob is the JSON value text, want a number"},
		{"a fraction", `{"n":1.5}`, "n is the JSON value number 1.5, want a whole number"},
		{"a text for a list", `{"bytes":"AQ=="}`, "bytes is the JSON value text, want a list"},
		{"no byte", `{"bytes":[1,256]}`, "bytes.1 is the JSON value number 256, want a byte"},
		{"an object for a truth", `{"sure":{}}`, "sure is the JSON value object, want true or false"},
		{"a truth for an object", `{"by":true}`, "by is the JSON value boolean, want an object"},
		{"a list for all", `[1]`, "it holds the JSON value array"},
		{"a reader of its own", `{"own":1}`, "own is the JSON value number, want an object: of no use"},
		{"a reader of its own says why", `{"own":"x"}`, "own is the JSON value text, want an object: of no use"},
	} {
		var v token
		err := strictjson.Unmarshal([]byte(test.body), &v)
		if (err == nil) != (test.want == "") || err != nil && !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}
