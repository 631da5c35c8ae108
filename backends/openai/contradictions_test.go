package openai

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"infnet/backends"
)

// What contradicts itself is refused, and what real servers write is not.
func TestContradictions(t *testing.T) {
	chat := func(tokens string) string {
		return `{"choices":[{"index":0,"message":{"content":" a"},"finish_reason":"length","logprobs":{"content":[` + tokens +
			`]}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`
	}
	one := func(top string) string { return chat(`{"token":" a","logprob":-0.5,"top_logprobs":[` + top + `]}`) }
	named := func(name, bytes string) string { // an alternative's name and bytes
		quoted, _ := json.Marshal(name)
		return one(`{"token":" a","logprob":-0.5},{"token":` + string(quoted) + `,"bytes":` + bytes + `,"logprob":-4}`)
	}
	good := one(`{"token":" a","logprob":-0.5},{"token":" b","logprob":-1.5}`)
	swap := func(old, with string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%q is not in %s", old, good)
		}
		return strings.Replace(good, old, with, 1)
	}
	for _, test := range []struct{ name, body, want string }{ // want = in the message; "" = an answer
		{"good", good, ""},
		{"the chosen one, less probable in the list",
			one(`{"token":" a","logprob":-0.6931},{"token":" b","logprob":-0.6931}`), "two log-probabilities"},
		{"above 1 in sum", one(`{"token":" a","logprob":-0.5},{"token":" b","logprob":-0.5}`), "add up to 1.213"},
		{"above 1 with the chosen one apart", one(`{"token":" b","logprob":-0.5}`), "add up to 1.213"},
		// 0.6065 + 0.3946 = 1.0011
		{"above 1 by roundings", one(`{"token":" a","logprob":-0.5},{"token":" b","logprob":-0.93}`), ""},
		{"certain", chat(`{"token":" a","logprob":0.0005,"top_logprobs":[{"token":" a","logprob":0},{"token":" b","logprob":-20}]}`), ""},

		{"a text twice with two values",
			one(`{"token":" a","logprob":-0.5},{"token":" b","logprob":-1.5},{"token":" b","logprob":-2.5}`),
			"two log-probabilities"},
		{"a text twice with one value",
			one(`{"token":" a","logprob":-0.5},{"token":" b","logprob":-1.5},{"token":" b","logprob":-1.5}`), ""},
		{"bytes twice with two values",
			one(`{"token":" a","logprob":-0.5},{"token":"bytes:\\xe2","bytes":[226],"logprob":-2},{"token":"\ufffd","bytes":[226],"logprob":-3}`), "two log-probabilities"},
		{"a number twice with two values",
			one(`{"token":" a","logprob":-0.5},{"id":7,"token":" b","logprob":-1.5},{"id":7,"token":" b","logprob":-2.5}`),
			"two log-probabilities"},
		{"a number with two texts", one(`{"token":" a","logprob":-0.5},{"id":7,"token":" b","logprob":-1.5},{"id":7,"token":" c","logprob":-1.5}`), "token 7 is"},
		{"a name with another number", one(`{"token":" a","logprob":-0.5},{"id":7,"token":"token_id:8","logprob":-1.5}`),
			"has the number 7"},
		{"a text of two numbers", one(`{"token":" a","logprob":-0.5},{"id":7,"token":"b","logprob":-1.5},{"id":8,"token":"b","logprob":-2.5}`), ""},
		{"parts of characters, all alike",
			one(`{"token":" a","logprob":-0.5},{"token":"\ufffd","logprob":-1.5},{"token":"\ufffd","logprob":-2.5}`), ""},
		{"tokens without a text", one(`{"token":" a","logprob":-0.5},{"token":"","logprob":-1.5},{"token":"","logprob":-2.5}`), ""},

		{"the chosen one has another value in the list", one(`{"token":" a","logprob":-0.7},{"token":" b","logprob":-1.5}`),
			"two log-probabilities"},
		{"the same, rounded to 16 bits", one(`{"token":" a","logprob":-0.5039},{"token":" b","logprob":-1.5}`), ""},
		{"the chosen one is not in the list", one(`{"token":" b","logprob":-1.5}`), ""},

		{"another text's bytes", named(" b", `[32,99]`), `has the bytes of " c"`},
		{"a blank's difference", named(" b", `[98]`), "has the bytes of"},
		{"another character's bytes", named("é", `[195,168]`), "has the bytes of"},
		{"bytes alike", named(" b", `[32,98]`), ""},
		{"bytes null", named(" b", `null`), ""},
		{"no bytes", named("<eos>", `[]`), ""},
		{"SentencePiece's blank", named("▁b", `[32,98]`), ""},
		{"SentencePiece's blank in both", named("▁b", `[226,150,129,98]`), ""},
		{"byte-level BPE's blank", named("Ġb", `[32,98]`), ""},
		{"byte-level BPE's line feed", named("Ċ", `[10]`), ""},
		{"a lone byte's name", named("<0x0A>", `[10]`), ""},
		{"a lone byte's name in letters", named("<0x0A>", `[60,48,120,48,65,62]`), ""},
		{"another lone byte", named("<0x0A>", `[11]`), "has the bytes of"},
		{"OpenAI's parts of characters", named(`bytes:\xe2\x80`, `[226,128]`), ""},
		{"other parts of characters", named(`bytes:\xe2\x80`, `[226,129]`), "has the bytes of"},
		{"U+FFFD for a part", named("\uFFFD", `[226,128]`), ""},
		{"U+FFFD for each byte", named("b\uFFFD\uFFFD", `[98,226,128]`), ""},
		{"a part left out, as llama.cpp does", named("b", `[98,226,128]`), ""},
		{"a part and another letter", named("c\uFFFD", `[98,226]`), "has the bytes of"},
		{"a part alone, left out", named("", `[226]`), ""},
		{"a number for a name, the name's bytes", named("token_id:12", `[116,111,107,101,110,95,105,100,58,49,50]`), ""},
		{"a number for a name, the text's bytes", named("token_id:12", `[32,98]`), ""},

		{"a byte of 256", named(" b", `[256,98]`), "256"},
		{"a byte below 0", named(" b", `[-32,98]`), "-32"},
		{"a byte and a half", named(" b", `[32.5,98]`), "32.5"},
		{"null for a byte", named(" b", `[null,98]`), "null is no byte"},
		{"a text for bytes", named(" b", `"IGI="`), "want a list"},

		{"an error beside", swap(`{"choices"`, `{"error":{"message":"out of memory"},"choices"`),
			`also the error "out of memory"`},
		{"an error's text beside", swap(`{"choices"`, `{"error":"out of memory","choices"`), "out of memory"},
		{"an error beside the choice's text", swap(`"index":0`, `"index":0,"error":{"code":502}`), "502"},
		{"no error", swap(`{"choices"`, `{"error":null,"choices"`), ""},
		{"an empty error", swap(`{"choices"`, `{"error":{},"choices"`), ""},
		{"two texts", swap(`"index":0`, `"index":0,"text":" b"`), "two texts"},
		{"two shapes", swap(`{"content":[{`, `{"tokens":[" a"],"token_logprobs":[-1],"content":[{`), "two shapes"},
		{"another text", swap(`"content":" a"`, `"content":"zebra"`), "the text is"},

		{"choices twice", swap(`{"choices"`, `{"choices":[],"choices"`), `duplicate object member name "choices"`},
		{"choices in capitals", swap(`"choices"`, `"Choices"`), "0 choices"},
		{"two spellings of choices", swap(`{"choices"`, `{"Choices":[],"choices"`), ""},
		{"a value twice", swap(`"logprob":-0.5`, `"logprob":-9,"logprob":-0.5`), `duplicate object member name "logprob"`},
		{"a content twice", swap(`"content":" a"`, `"content":" b","content":" a"`), `duplicate object member name "content"`},
		{"a count twice", swap(`"prompt_tokens":3`, `"prompt_tokens":4,"prompt_tokens":3`), `duplicate object member name "prompt_tokens"`},
		{"what nobody reads twice", swap(`{"choices"`, `{"created":1,"created":2,"choices"`), `name "created"`},
		{"invalid UTF-8", swap(`" a"`, "\" \xe4\""), "invalid UTF-8"},
		{"half a surrogate pair", swap(`"token":" b"`, `"token":" \ud800"`), "invalid surrogate pair"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := open(t, static(t, says(200, test.body)),
				func(c *backends.OpenAIConfig) { c.Labels = backends.LabelsTopLogprobs })
			for _, r := range []backends.Request{
				{Model: testID, Mode: backends.Chat, Prompt: "p", Labels: []string{" a", " b"}},
				{Model: testID, Mode: backends.Chat, Prompt: "p", MaxTokens: 1, TopLogprobs: 2},
			} {
				a := ask(t, m, r)
				switch {
				case test.want == "":
					if f := backends.Check(r, a); f != nil {
						t.Errorf("%v, want an answer", f)
					}
				case a.Failure == nil || a.Failure.Cause != backends.BadResponse || !strings.Contains(a.Failure.Message, test.want):
					t.Errorf("%v, want a bad response with %q", a.Failure, test.want)
				case a.Text != "" || a.Labels != nil || a.Tokens != nil:
					t.Errorf("a failure with an answer beside it: %+v", a)
				}
			}
		})
	}
}

// Contradictions in the lists of completions: a table by text that is repeated.
func TestContradictionsInLists(t *testing.T) {
	for _, test := range []struct{ name, logprobs, want string }{
		{"good", `{"tokens":[" a"],"token_logprobs":[-0.5],"top_logprobs":[{" a":-0.5," b":-1.5}]}`, ""},
		{"a log-probability too few", `{"tokens":[" a","b"],"token_logprobs":[-1]}`, "2 tokens with 1"},
		{"a list too few", `{"tokens":[" a","b"],"token_logprobs":[-1,-1],"top_logprobs":[{}]}`, "and 1 lists"},
		{"null", `{"tokens":[" a"],"token_logprobs":[null]}`, "no log-probability"},
		{"-9999", `{"tokens":[" a"],"token_logprobs":[-9999]}`, "no log-probability"},
		{"a token twice", `{"tokens":[" a"],"token_logprobs":[-0.5],"top_logprobs":[{" a":-0.5," b":-1.5," b":-2.5}]}`,
			"duplicate object member name"},
		{"two letter cases are two tokens",
			`{"tokens":[" a"],"token_logprobs":[-0.5],"top_logprobs":[{" a":-0.5," A":-1.5}]}`, ""},
		{"names of members are tokens too",
			`{"tokens":[" a"],"token_logprobs":[-0.5],"top_logprobs":[{" a":-0.5,"Tokens":-1.5,"tokens":-2.5}]}`, ""},
		{"above 1 in sum", `{"tokens":[" a"],"token_logprobs":[-0.5],"top_logprobs":[{" a":-0.5," b":-0.5}]}`, "add up to"},
		{"another value in the table", `{"tokens":[" a"],"token_logprobs":[-0.5],"top_logprobs":[{" a":-1.5," b":-2.5}]}`,
			"two log-probabilities"},
		{"two names of one token", `{"tokens":[" a"],"token_logprobs":[-0.5],"top_logprobs":[{" a":-0.5,"▁b":-1.5," b":-2.5}]}`, "two log-probabilities"},
		{"parts of characters", `{"tokens":["\ufffd"],"token_logprobs":[-0.5],"top_logprobs":[{"\ufffd":-1.5}]}`, ""},
		{"a byte of a character, in the list too", // vLLM 0.32 names the first byte of an ü by the empty text
			`{"tokens":["","ü"],"token_logprobs":[-0.01,-0.2],"top_logprobs":[{"":-0.01," b":-5.5},{"ü":-0.2}]}`, ""},
		{"a byte of a character that is less probable than it",
			`{"tokens":["","ü"],"token_logprobs":[-0.01,-0.2],"top_logprobs":[{"":-0.3},{"ü":-0.2}]}`, "add up to"},
		{"a byte of a character and a probable word",
			`{"tokens":["","ü"],"token_logprobs":[-0.01,-0.2],"top_logprobs":[{"":-0.01," b":-0.5},{"ü":-0.2}]}`, "add up to"},
	} {
		text := ` a`
		switch {
		case test.name == "parts of characters":
			text = "\uFFFD"
		case strings.HasPrefix(test.name, "a byte"):
			text = "ü"
		}
		m := open(t, static(t, says(200,
			`{"choices":[{"index":0,"text":"`+text+`","finish_reason":"length","logprobs":`+test.logprobs+`}]}`)),
			func(c *backends.OpenAIConfig) { c.Labels = backends.LabelsTopLogprobs })
		a := ask(t, m, backends.Request{Model: testID, Mode: backends.Raw, Prompt: "p", MaxTokens: 2, TopLogprobs: 3})
		if f := a.Failure; (f == nil) != (test.want == "") ||
			f != nil && (f.Cause != backends.BadResponse || !strings.Contains(f.Message, test.want)) {
			t.Errorf("%s: %v, want %q", test.name, f, test.want)
		}
	}
}

// Contradictions in embeddings.
func TestContradictionsInVectors(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"good", `{"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0]}]}`, ""},
		{"an error beside", `{"error":{"message":"half of it"},"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]}]}`, "half of it"},
		{"data twice", `{"data":[],"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]}]}`, "duplicate object member name"},
		{"data in capitals", `{"Data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]}]}`, "0 vectors"},
		{"an index twice in one entry", `{"data":[{"index":1,"index":0,"embedding":[1]},{"index":1,"embedding":[1]}]}`,
			"duplicate object member name"},
		{"an index of two", `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[2]}]}`, "index 0 twice"},
		{"an index outside", `{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[2]}]}`, "index 2"},
		{"an index of some", `{"data":[{"index":0,"embedding":[1]},{"embedding":[2]}]}`, "some"},
		{"one too few", `{"data":[{"index":0,"embedding":[1]}]}`, "1 vectors for 2"},
		{"one too many", `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]},{"index":2,"embedding":[1]}]}`,
			"3 vectors for 2"},
		{"two dimensions", `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`, "others had"},
		{"NaN", `{"data":[{"index":0,"embedding":[NaN]},{"index":1,"embedding":[1]}]}`, "no JSON we can read"},
		{"beyond float32", `{"data":[{"index":0,"embedding":[1e39]},{"index":1,"embedding":[1]}]}`, "infinite"},
		{"no direction", `{"data":[{"index":0,"embedding":[0,0]},{"index":1,"embedding":[1,2]}]}`, "no direction"},
		{"null", `{"data":[{"index":0,"embedding":[null]},{"index":1,"embedding":[1]}]}`, "missing"},
		{"invalid UTF-8", "{\"object\":\"\xff\",\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":1,\"embedding\":[1]}]}",
			"UTF-8"},
	} {
		url := newServer(t, func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/embeddings") {
				http.NotFound(w, r)
				return
			}
			says(200, test.body)(w, r)
		}) + "/v1"
		e, err := OpenEmbedder(backends.Config{Model: testID, Settings: &backends.OpenAIConfig{
			Access: backends.Access{URLs: []string{url}}}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Embed(t.Context(), []string{"x", "y"})
		if (err == nil) != (test.want == "") ||
			err != nil && (!strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "bad-response")) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}
