package spec

import (
	"fmt"
	"strings"
)

// placeholders lists the fields that a prompt names, in order of appearance,
// each once. A field is {name}; {{ and }} stand for braces.
func placeholders(prompt string) ([]string, error) {
	var out []string
	seen := map[string]bool{}
	for i := 0; i < len(prompt); i++ {
		switch c := prompt[i]; {
		case (c == '{' || c == '}') && i+1 < len(prompt) && prompt[i+1] == c:
			i++
		case c == '}':
			return nil, fmt.Errorf("a } without its {")
		case c == '{':
			end := strings.IndexAny(prompt[i+1:], "{}\n")
			if end < 0 || prompt[i+1+end] != '}' {
				return nil, fmt.Errorf("a { without its }")
			}
			name := prompt[i+1 : i+1+end]
			if !identifier(name) {
				return nil, fmt.Errorf("{%s} names no field", name)
			}
			if !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
			i += end + 1
		}
	}
	return out, nil
}

// identifier reports what may stand between braces: letters, digits and _,
// no digit first.
func identifier(s string) bool {
	for i := range len(s) {
		if c := s[i]; !alphanumeric(c) && c != '_' || i == 0 && c >= '0' && c <= '9' {
			return false
		}
	}
	return s != ""
}

// literal is text as a prompt would write it.
func literal(s string) string {
	return strings.NewReplacer("{", "{{", "}", "}}").Replace(s)
}
