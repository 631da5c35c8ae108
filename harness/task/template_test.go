package task

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/dataset"
)

func TestTemplate(t *testing.T) {
	fields := map[string]string{"text": "a {b} }} c", "question": "wer?", "n-1": "", "a.b_C": "ü"}
	tests := []struct {
		name, in, want string
		fields         []string
	}{
		{"one", "Review: {text}\nSentiment:", "Review: a {b} }} c\nSentiment:", []string{"text"}},
		{"twice", "{text}{question}{text}", "a {b} }} cwer?a {b} }} c", []string{"text", "question"}},
		{"braces", "{{\"x\": {question}}}", "{\"x\": wer?}", []string{"question"}},
		{"braces alone", "{{}}", "{}", nil},
		{"empty value", "[{n-1}]", "[]", []string{"n-1"}},
		{"name", "{a.b_C}", "ü", []string{"a.b_C"}},
		{"none", "größe", "größe", nil},
		{"nothing", "", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tpl, err := ParseTemplate(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tpl.Render(fields)
			if err != nil || got != tt.want {
				t.Errorf("rendered %q, error %v; want %q", got, err, tt.want)
			}
			if d := cmp.Diff(tt.fields, tpl.Fields()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestTemplateErrors(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"open", "a\nüb {text", "line 2, column 4: a { that is not closed"},
		{"open to the next", "{a {b}", "line 1, column 1: a { that is not closed"},
		{"over a line", "{te\nxt}", "not closed"},
		{"close", "a } b", "line 1, column 3: a } that closes nothing"},
		{"no name", "{}", "a placeholder without a name"},
		{"logic", "{text|upper}", `'|' is not a letter`},
		{"space", "{ text }", `' ' is not a letter`},
		{"not UTF-8", "\xff", "not valid UTF-8"},
	}
	for _, tt := range tests {
		if _, err := ParseTemplate(tt.in); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

func TestTemplateFieldErrors(t *testing.T) {
	tpl, err := ParseTemplate("{text} {question}")
	if err != nil {
		t.Fatal(err)
	}
	_, err = tpl.Prompt(&dataset.Set{Examples: []dataset.Example{
		{ID: "q7", Row: 12, Fields: map[string]string{"text": "x", "context": "y"}}}}, 0)
	if want := `row 12 (id "q7"): the prompt names {question}, but there is no such field: there are context, text`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, err := tpl.Render(nil); err == nil || !strings.Contains(err.Error(), "{text}, but there are no fields") {
		t.Errorf("error %v", err)
	}
	if err := tpl.Check([]string{"question", "text"}); err != nil {
		t.Error(err)
	}
	if err := tpl.Check([]string{"text"}); err == nil {
		t.Error("a missing field passed the check")
	}
}

func TestReply(t *testing.T) {
	tests := []struct {
		name, in string
		stop     []string
		want     string
	}{
		{"trimmed", "  Paris \n", nil, "Paris"},
		{"cut", " Paris\nQuestion: next", []string{"\n"}, "Paris"},
		{"first stop wins", "a. b; c", []string{";", "."}, "a"},
		{"space before it does not stop it", "\n\nParis\nx", []string{"\n"}, "Paris"},
		{"empty stop", "Paris", []string{""}, "Paris"},
		{"stop at once", ".Paris", []string{"."}, ""},
		{"nothing", " \t", []string{"\n"}, ""},
	}
	for _, tt := range tests {
		first, last := Reply(tt.in, tt.stop)
		if got := tt.in[first:last]; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"a {b} {{c}} }}", "{", "}", "{}", "{{{a}}}", "{a{b}}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tpl, err := ParseTemplate(s)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "prompt") {
				t.Fatalf("error %v", err)
			}
			return
		}
		values := map[string]string{}
		for _, name := range tpl.Fields() {
			values[name] = "{" + name + "}"
		}
		out, err := tpl.Render(values)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(s, "{{") && !strings.Contains(s, "}}") && out != s {
			t.Fatalf("%q filled with its own placeholders is %q", s, out)
		}
		// With its braces doubled, a text renders as itself.
		if tpl, err = ParseTemplate(strings.NewReplacer("{", "{{", "}", "}}").Replace(s)); err != nil {
			t.Fatal(err)
		}
		if got, err := tpl.Render(nil); err != nil || got != s {
			t.Fatalf("%q rendered as %q, error %v", s, got, err)
		}
	})
}
