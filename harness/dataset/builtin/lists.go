package builtin

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// The word lists, one file a task: lists by the name of the field that they
// go to. What has several parts (a noun, a verb) is an array of them.
//
//go:embed words/*.json
var files embed.FS

// load reads a file of lists: every list has a field, and every field a list. The files come with the program, so that
// a mistake in one is a mistake in this package: it panics, and every test finds it.
func load[T any](task string) (lists T) {
	b, err := files.ReadFile("words/" + task + ".json")
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		err = d.Decode(&lists)
	}
	v := reflect.ValueOf(lists)
	for i := 0; err == nil && i < v.NumField(); i++ {
		if v.Field(i).Len() == 0 {
			err = fmt.Errorf("there is no list %s", v.Type().Field(i).Name)
		}
	}
	if err != nil {
		panic(fmt.Sprintf("builtin: words/%s.json: %v", task, err))
	}
	return lists
}

// tuple reads an array into its parts.
func tuple(b []byte, parts ...any) error {
	var read []json.RawMessage
	if err := json.Unmarshal(b, &read); err != nil {
		return err
	}
	if len(read) != len(parts) {
		return fmt.Errorf("%s: want %d parts", b, len(parts))
	}
	for i, to := range parts {
		if err := json.Unmarshal(read[i], to); err != nil {
			return fmt.Errorf("%s: %w", b, err)
		}
	}
	return nil
}

// named reads a constant by its place in a list of names.
func named[T ~int](b []byte, to *T, names ...string) error {
	i := slices.Index(names, string(b))
	if i < 0 {
		return fmt.Errorf("%q is none of %q", b, names)
	}
	*to = T(i)
	return nil
}
