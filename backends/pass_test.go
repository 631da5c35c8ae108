package backends_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/backends/redact"
)

// Wherever in an answer the server repeats a key, the answer that comes through the door does not hold it. Every
// text of an Answer is tried, also those that a later field adds.
func TestNoKeyPasses(t *testing.T) {
	const key = "pa-7Hq2xT90zz"
	if got := backends.Secret(key).Reveal(); got != key {
		t.Fatal(got)
	}
	r := backends.Request{Prompt: "p", MaxTokens: 8}
	whole := func() backends.Answer {
		conf, failure := 0.5, (*backends.Failure)(nil)
		return backends.Answer{Key: r.Key(), Text: "a b", Confidence: &conf, Failure: failure,
			Tokens: []backends.Token{{Text: "a", Logprob: -1, Top: []backends.Alternative{{Text: "c", Logprob: -2}}},
				{Text: " b", Logprob: -1}},
			Cost: &backends.Money{Currency: "EUR"}, Finish: backends.FinishEnd}
	}
	ours := map[string]bool{ // what no server says: closed sets, and what this program sets
		"Answer.By": true, "Answer.Batch": true, "Answer.Cost.Currency": true, "Answer.Failure.Cause": true}
	tried := 0
	var plant func(v reflect.Value, path string, do func(path string))
	plant = func(v reflect.Value, path string, do func(path string)) {
		switch v.Kind() {
		case reflect.String:
			was := v.String()
			for _, said := range []string{key, "word " + key + " word"} {
				v.SetString(said)
				do(path)
			}
			v.SetString(was)
		case reflect.Struct:
			for i := range v.NumField() {
				plant(v.Field(i), path+"."+v.Type().Field(i).Name, do)
			}
		case reflect.Slice:
			for i := range v.Len() {
				plant(v.Index(i), path, do)
			}
		case reflect.Pointer:
			if !v.IsNil() {
				plant(v.Elem(), path, do)
			}
		}
	}
	for _, failed := range []bool{false, true} {
		a := whole()
		if failed {
			a.Failure = &backends.Failure{Cause: backends.ServerError, Message: "m"}
		}
		plant(reflect.ValueOf(&a).Elem(), "Answer", func(path string) {
			if ours[path] {
				return
			}
			tried++
			text, err := json.Marshal(backends.Pass(r, a))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), key) {
				t.Errorf("%s: %s", path, text)
			}
		})
	}
	if tried < 30 {
		t.Errorf("%d places were tried, want all texts of an answer", tried)
	}
	// a key that the tokens spell together
	a := whole()
	a.Tokens[0].Text, a.Tokens[1].Text = key[:5], key[5:]
	if f := backends.Pass(r, a).Failure; f == nil || !strings.Contains(f.Message, "repeats an API key") {
		t.Errorf("spelt by the tokens: %v", f)
	}
	if f := backends.Pass(r, whole()).Failure; f != nil {
		t.Errorf("an answer without a key: %v", f)
	}
	if redact.Known() == nil {
		t.Error("a key that was revealed is not known")
	}
}
