package spec

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"infnet/backends"
	"infnet/backends/engine"
	"infnet/harness/choice"
	"infnet/harness/dataset/hub/ref"
	"infnet/harness/spec/place"
)

func (b *backend) launched() bool { return b != nil && b.raw.Launch != nil }

// launch checks how the servers of a table are started; nil = they run.
func (b *backend) launch() *backends.Launch {
	if !b.launched() {
		return nil
	}
	r, f, at := b.raw.Launch, b.file, b.key("launch")
	const running = "the run starts the servers, so they have no URLs of their own"
	for _, k := range [][3]string{{"urls", running, "leave urls or launch out"},
		{"urls_of", running, "leave urls_of or launch out"},
		{"api_key_env", "the run makes a key for the servers that it starts", "leave it out"}} {
		if f.text.Has(b.key(k[0])) && !f.bad[b.key(k[0])] {
			f.misplaced(b.key(k[0]), k[1], k[2])
		}
	}
	l := *r
	switch {
	case r.Engine == "" && r.Command == nil:
		f.missing(at, "engine", "want one of "+choice.List(backends.Engines())+"; or command = […] for another")
		return nil
	case r.Engine != "" && r.Command != nil:
		f.misplaced(at+".command", "an engine has its own command", "leave engine or command out")
		return nil
	}
	for _, p := range engine.Problems(&l) {
		key := at + "." + p.Key
		if p.Index >= 0 {
			key = place.Element(key, p.Index)
		}
		f.wrong(key, p.Message, p.Hint)
	}
	l.Settings = engine.Settings(&l)
	return &l
}

// launchModel fills in which weights the started servers serve.
func launchModel(d *definition, m *Model, shared *backends.Launch) *backends.Launch {
	if shared == nil {
		return nil // its mistakes were reported
	}
	l := *shared
	switch {
	case m.Path == "":
		l.Weights, l.Revision = m.Config.Model.ID, m.Revision
		if m.ID == "" && l.Engine != "" {
			d.missing("id", "the weights that the engine serves, by their name on the hub: id = \"google/gemma-3-1b-it\"; or "+
				"path = a folder of this machine")
		}
		if strings.HasPrefix(l.Weights, "-") {
			d.wrong("id", "an engine would take this for a flag", "names of the hub begin with a letter or a digit")
		}
	case strings.HasPrefix(m.Path, "builtin:"):
		d.wrong("path", "a built-in model is not in a folder of this machine, where an engine could read it",
			"copy it into one; or backend = \"local\"")
	case strings.HasPrefix(m.Path, ref.Scheme):
		d.wrong("path", "the engine fetches weights from the hub by itself",
			"write id = \"OWNER/NAME\" and revision = \"COMMIT\" in place of path")
	default:
		if l.Weights, _ = d.file.existing(d.at+".path", m.Path, "the weights "); l.Weights != "" {
			l.Local, l.Content = true, m.Revision == ""
		}
	}
	checkLaunchNames(d, m, &l)
	return &l
}

// hasConfig reports whether the spec names a config.json, or an engine reads the model's weights from a folder with a
// config.json, which says what the network is.
func hasConfig(d *definition, m *Model) bool {
	if m.ShapeIn != "" {
		return true
	}
	r, _ := m.Config.Remote()
	if r.Launch == nil || !r.Launch.Local {
		return false
	}
	_, err := d.file.fsys.stat(path.Join(r.Launch.Weights, "config.json"))
	return err == nil
}

// checkLaunchNames refuses names that an engine's command would read as something else: a shell in a study's own
// command obeys more characters than a name has.
func checkLaunchNames(d *definition, m *Model, l *backends.Launch) {
	const hint = "names on hubs and servers are letters, digits and . _ - / : @ +"
	for _, k := range [][2]string{{"id", m.ID}, {"served", m.Served}, {"revision", m.Revision}} {
		i := strings.IndexFunc(k[1], func(c rune) bool {
			return c >= 0x80 || !alphanumeric(byte(c)) && !strings.ContainsRune("._-/:@+", c)
		})
		if i >= 0 && !(k[0] == "id" && l.Local && m.Served != "") {
			d.wrong(k[0], fmt.Sprintf("%q reaches the command that starts the server, and %q has no place in a name", k[1],
				[]rune(k[1][i:])[0]), hint)
		}
	}
	inWord := slices.ContainsFunc(l.Command, func(w string) bool { // a placeholder is only a part of a word
		return w != "{model}" && strings.Contains(w, "{model}")
	})
	if l.Local && (strings.ContainsFunc(l.Weights, unicode.IsControl) ||
		inWord && strings.ContainsAny(l.Weights, shellObeys)) {
		d.wrong("path", fmt.Sprintf("%q reaches the command that starts the server, where a shell may read some of its "+
			"characters as its own", l.Weights), "rename the folder; or give {model} a word of its own in command")
	}
}

// shellObeys are the characters that mean something to a shell.
const shellObeys = " \t\"'`$&|;<>()[]{}*?!#~\\"
