// Package strictjson reads JSON that says one thing, on go-json-experiment/json: members twice and texts that are no
// UTF-8 are refused, and a member in another letter case is another member. It owns the words of its errors, which are
// the same in every process: the library's own change from one to the next.
package strictjson

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
)

// Wrong is a value of another type than what belongs in its place. It is an error.
type Wrong struct {
	Field string // where: choices.0.text; "" = all of the JSON
	Found string // text, number 200.5, array, object, boolean, null
	Want  string // a text, a number, a list, …
	Err   error  // why, where its type has a reader of its own; nil = it has none
}

// Unmarshal reads all of data. The error is a *Wrong where a value has another type than its place in v.
func Unmarshal(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	var wrong *json.SemanticError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &wrong) || wrong.GoType == nil:
		return errors.New(strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	kind := wrong.GoType.Kind()
	w := &Wrong{Field: strings.ReplaceAll(strings.TrimPrefix(string(wrong.JSONPointer), "/"), "/", "."),
		Found: found(wrong), Want: wants(kind)}
	if kind < reflect.Int || kind > reflect.Float64 { // of numbers, what was found says it
		w.Err = wrong.Err
	}
	return w
}

func found(wrong *json.SemanticError) string {
	switch wrong.JSONKind {
	case 'n':
		return "null"
	case 't', 'f':
		return "boolean"
	case '"':
		return "text"
	case '{':
		return "object"
	case '[':
		return "array"
	case '0':
		return strings.TrimSpace("number " + string(wrong.JSONValue))
	}
	return "of an unknown kind"
}

func wants(k reflect.Kind) string {
	switch k {
	case reflect.String:
		return "a text"
	case reflect.Uint8:
		return "a byte"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	case reflect.Bool:
		return "true or false"
	}
	return "an object"
}

func (w *Wrong) Error() string {
	said := fmt.Sprintf("%s is the JSON value %s, want %s", w.Field, w.Found, w.Want)
	if w.Field == "" {
		said = "it holds the JSON value " + w.Found
	}
	if w.Err != nil {
		said += ": " + w.Err.Error()
	}
	return said
}

// Unwrap is why a type's own reader refused a value.
func (w *Wrong) Unwrap() error { return w.Err }
