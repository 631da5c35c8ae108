package engine

import "strings"

// Shell writes the command for a POSIX shell. A secret is not written: its variable is taken from the
// shell's own environment.
func (c Command) Shell() string {
	var words []string
	for _, v := range c.Env {
		if v.Secret {
			words = append(words, v.Name+`="$`+v.Name+`"`)
			continue
		}
		words = append(words, v.Name+"="+Quote(v.Value))
	}
	for _, a := range c.Args {
		words = append(words, Quote(a))
	}
	return strings.Join(words, " ")
}

// Quote writes a word so that a shell reads it as it is.
func Quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,+@%^", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
