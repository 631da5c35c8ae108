package spec

import (
	"fmt"
	"strings"
	"unicode"

	"infnet/backends"
)

// checkLaunchNames refuses names that an engine's command would read as something else: a shell in a study's own
// command obeys more characters than a name has, and a line break is a further line of an Ollama Modelfile.
func checkLaunchNames(d *definition, l *backends.Launch) {
	const hint = "names on hubs and servers are letters, digits and . _ - / : @ +"
	r := d.model()
	for _, k := range []struct {
		key string
		p   *string
	}{{"id", r.ID}, {"served", r.Served}, {"revision", r.Revision}} {
		if k.p == nil || k.key == "id" && l.Local && r.Served != nil {
			continue
		}
		if i := strings.IndexFunc(*k.p, noName); i >= 0 {
			d.wrong(k.key, fmt.Sprintf("%q reaches the command that starts the server, and %q has no place in a name", *k.p,
				[]rune((*k.p)[i:])[0]), hint)
		}
	}
	if l.Local && (strings.ContainsFunc(l.Weights, unicode.IsControl) ||
		embeds(l.Command, "{model}") && strings.ContainsAny(l.Weights, shellObeys)) {
		d.wrong("path", fmt.Sprintf("%q reaches the command that starts the server, where a shell may read some of its "+
			"characters as its own", l.Weights), "rename the folder; or give {model} a word of its own in command")
	}
}

// shellObeys are the characters that mean something to a shell.
const shellObeys = " \t\"'`$&|;<>()[]{}*?!#~\\"

// noName reports a character that no hub or server has in a name.
func noName(c rune) bool {
	return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("._-/:@+", c))
}

// embeds reports whether a placeholder is only part of a word.
func embeds(command []string, placeholder string) bool {
	for _, w := range command {
		if w != placeholder && strings.Contains(w, placeholder) {
			return true
		}
	}
	return false
}
