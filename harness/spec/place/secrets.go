package place

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Error messages show source lines, and a line may contain a secret: a key instead of a variable's
// name, or a URL with a password. Secrets are masked in every line that is shown.

var (
	// secretKey is a key that seems to take a secret, up to its value.
	secretKey = regexp.MustCompile(`(?i)["']?\b(?:[a-z0-9]+[_-])*(?:api[_-]?key|key|authorization|bearer|password|secret|token)(?:[_-]env)?["']?\s*[=:]\s*`)
	// userinfo is between a URL's scheme and its host, query after its path.
	userinfo = regexp.MustCompile(`://[^\s"']*@`)
	query    = regexp.MustCompile(`(?i)https?://[^\s"'?#]*[?#][^\s"']*`)
	// quotedKey is a string that looks like a secret by itself.
	quotedKey = regexp.MustCompile(`["'][^"']*["']`)
	// word is a part of a text that may be a secret.
	word = regexp.MustCompile(`[\w.+/~-]+`)
)

// masked hides the secrets of a line of source, character by character, so
// that columns keep their places.
func masked(line string) string {
	line = userinfo.ReplaceAllStringFunc(line, func(s string) string { return "://" + stars(s[3:len(s)-1]) + "@" })
	line = query.ReplaceAllStringFunc(line, func(s string) string {
		at := strings.IndexAny(s, "?#") + 1
		return s[:at] + stars(s[at:])
	})
	line = quotedKey.ReplaceAllStringFunc(line, func(s string) string {
		if inner := s[1 : len(s)-1]; IsSecret(inner) {
			return s[:1] + stars(inner) + s[len(s)-1:]
		}
		return word.ReplaceAllStringFunc(s, func(w string) string {
			if IsSecret(w) {
				return stars(w)
			}
			return w
		})
	})
	var b strings.Builder
	for {
		at := secretKey.FindStringIndex(line)
		if at == nil {
			b.WriteString(line)
			return b.String()
		}
		b.WriteString(line[:at[1]])
		value := written(line[at[1]:])
		if shown := strings.Trim(value, `"' `); IsVariable(shown) && !IsSecret(shown) &&
			strings.Contains(strings.ToLower(line[at[0]:at[1]]), "env") {
			b.WriteString(value) // the name of a variable, where one belongs
		} else {
			b.WriteString(stars(value))
		}
		line = line[at[1]+len(value):]
	}
}

// written returns the value at the beginning of a text: up to its closing
// quote, else the whole rest.
func written(s string) string {
	if s == "" || s[0] != '"' && s[0] != '\'' || strings.HasPrefix(s, `"""`) || strings.HasPrefix(s, "'''") {
		return s
	}
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && s[0] == '"':
			i++
		case s[i] == s[0]:
			return s[:i+1]
		}
	}
	return s
}

func stars(s string) string { return strings.Repeat("*", utf8.RuneCountInString(s)) }

// IsVariable reports whether a text can be the name of an environment variable.
func IsVariable(s string) bool {
	for i := range len(s) {
		if c := s[i]; !(c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return s != ""
}

// HasSecret reports whether a word of a text looks like a well-known kind of key.
func HasSecret(s string) bool { return slices.ContainsFunc(word.FindAllString(s, -1), IsSecret) }

// IsSecret reports whether a text looks like a well-known kind of key.
func IsSecret(s string) bool {
	for _, prefix := range []string{"sk-", "sk_", "hf_", "gsk_", "nvapi-", "AIza", "ghp_", "Bearer "} {
		if strings.HasPrefix(s, prefix) && len(s) >= len(prefix)+8 {
			return true
		}
	}
	return false
}
