package confidence

import (
	"strings"
	"testing"

	"infnet/backends"
)

func spelled(pieces ...string) (tokens []backends.Token) {
	for k, p := range pieces {
		tokens = append(tokens, backends.Token{Text: p, Logprob: -float64(k + 1)})
	}
	return tokens
}

func joined(tokens []backends.Token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t.Text)
	}
	return b.String()
}

func TestWithin(t *testing.T) {
	for name, c := range map[string]struct {
		tokens []string
		text   string
		answer string // the part of the text
		want   string // the tokens' texts; "-" = they spell another text
	}{
		"whole tokens":         {[]string{"It", " is", " ", "42", "."}, "It is 42.", "42", "42"},
		"border counts whole":  {[]string{"It is", " 42", "."}, "It is 42.", "42", " 42"},
		"several tokens":       {[]string{"x=", "1", "2", "3", "!"}, "x=123!", "123", "123"},
		"blank before":         {[]string{" It", " is", " 7"}, "It is 7", "7", " 7"},
		"line before":          {[]string{"\n", " ", "7"}, "7", "7", "7"},
		"cut at a stop text":   {[]string{"7", "\n\nQ", ":"}, "7", "7", "7"},
		"half a token is left": {[]string{"7\nQ", ":"}, "7\n", "7", "7\nQ"},
		"part of characters":   {[]string{"🙂"[:2], "🙂"[2:], " 7"}, "🙂 7", "7", " 7"},
		"shown as �":           {[]string{"so ", "�", "�", " is", " 7"}, "so 🙂 is 7", "7", " 7"},
		"the answer is that":   {[]string{"so ", "�", "�", " is", " 7"}, "so 🙂 is 7", "🙂", "��"},
		"� at the end":         {[]string{"so ", "�", "�"}, "so 🙂", "🙂", "��"},
		"another text":         {[]string{"It", " was", " 7"}, "It is 7", "7", "-"},
		"too short":            {[]string{"It", " is"}, "It is 7", "7", "-"},
		"too short before":     {[]string{"It", " is"}, "It is 7", "It", "It"},
		"without texts":        {[]string{"", ""}, "It is 7", "7", "-"},
		"none":                 {nil, "It is 7", "7", "-"},
	} {
		first := strings.Index(c.text, c.answer)
		got, ok := Within(spelled(c.tokens...), c.text, first, first+len(c.answer))
		if ok != (c.want != "-") || ok && joined(got) != c.want {
			t.Errorf("%s: %q, %v, want %q", name, joined(got), ok, c.want)
		}
	}
	end := []backends.Token{{Text: "7"}, {Text: "</s>", End: true}}
	if got, ok := Within(end, "7", 0, 1); !ok || len(got) != 1 {
		t.Errorf("with an end token: %v, %v", got, ok)
	}
}
