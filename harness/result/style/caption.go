package style

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Placeholders are what a caption may name in braces.
func Placeholders() []string {
	return []string{"student", "master", "models", "cascade", "dataset", "datasets", "metrics", "task", "study", "setting",
		"target", "level"}
}

// Fill replaces the placeholders of a caption; {{ and }} are braces. between is called with the
// text between them, which may be "".
func Fill(caption string, between func(text string), named func(name string) error) error {
	var text strings.Builder
	for i := 0; i < len(caption); i++ {
		rest := caption[i:]
		switch {
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"):
			text.WriteByte(caption[i])
			i++
		case caption[i] == '{':
			end := strings.IndexByte(rest, '}')
			if end < 0 {
				return errors.New("a brace is not closed: write {{ for a brace")
			}
			between(text.String())
			text.Reset()
			if err := named(rest[1:end]); err != nil {
				return err
			}
			i += end
		case caption[i] == '}':
			return errors.New("a brace is not opened: write }} for a brace")
		default:
			text.WriteByte(caption[i])
		}
	}
	between(text.String())
	return nil
}

// longestCaption is in bytes: a caption is a sentence or three.
const longestCaption = 1000

// CheckCaption refuses captions that cannot be filled.
func CheckCaption(caption string) error {
	switch {
	case strings.TrimSpace(caption) == "":
		return errors.New("the caption is empty: leave it out for the usual one")
	case len(caption) > longestCaption:
		return fmt.Errorf("a caption of more than %d bytes", longestCaption)
	}
	return Fill(caption, func(string) {}, func(name string) error {
		if !slices.Contains(Placeholders(), name) {
			return fmt.Errorf("nothing is called {%s}; there are {%s}", name, strings.Join(Placeholders(), "}, {"))
		}
		return nil
	})
}

// Check says what is wrong with settings that are valid one by one, and which of them it is.
func (s Style) Check() (key string, err error) {
	if s.Columns != nil && !slices.Contains(s.Columns, Policy) {
		return "columns", errors.New("there is no column that says which policy a row is: add policy")
	}
	for i, c := range s.Columns {
		if slices.Index(s.Columns, c) < i {
			return "columns", fmt.Errorf("the column %s is named twice", c)
		}
	}
	if d := s.Digits; d != nil && (*d < 0 || *d > 6) {
		return "digits", fmt.Errorf("%d digits are outside 0 to 6", *d)
	}
	if s.Caption != "" {
		return "caption", CheckCaption(s.Caption)
	}
	return "", nil
}
