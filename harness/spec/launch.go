package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"infnet/backends"
	"infnet/backends/engine"
	"infnet/harness/dataset/hub/ref"
	"infnet/harness/spec/place"
)

// launched reports whether the study starts the servers of a table.
func (b *backend) launched() bool { return b != nil && b.raw.Launch != nil }

// launch checks how the servers of a table are started; nil = they run.
func (b *backend) launch() *backends.Launch {
	if !b.launched() {
		return nil
	}
	r, f, at := b.raw.Launch, b.file, b.key("launch")
	for _, k := range []struct {
		key, why, hint string
		is             bool
	}{
		{"urls", "the run starts the servers, so they have no URLs of their own", "leave urls or launch out",
			b.raw.URLs != nil},
		{"urls_of", "the run starts the servers, so they have no URLs of their own", "leave urls_of or launch out",
			b.raw.URLsOf != nil},
		{"api_key_env", "the run makes a key for the servers that it starts", "leave it out", b.raw.APIKeyEnv != nil},
	} {
		if k.is {
			f.misplaced(b.key(k.key), k.why, k.hint)
		}
	}
	l := *r
	switch {
	case r.Engine == "" && r.Command == nil:
		f.missing(at, "engine", "want one of "+engineNames()+"; or command = […] for another")
		return nil
	case r.Engine != "" && r.Command != nil:
		f.misplaced(at+".command", "an engine has its own command", "leave engine or command out")
		return nil
	case l.Servers == 0 && l.GPUs == 0:
		f.wrong(at+".servers", "\"all\" counts GPUs, and gpus = 0", "give a number")
	}
	for _, p := range engine.Check(&l) {
		key := at + "." + p.Key
		switch {
		case p.Name != "":
			key = place.Join(key, p.Name)
		case p.Index >= 0:
			key = place.Element(key, p.Index)
		}
		f.wrong(key, p.Message, p.Hint)
	}
	l.Settings = engine.Settings(&l)
	return &l
}

func engineNames() string {
	var out []string
	for _, e := range backends.Engines() {
		out = append(out, string(e))
	}
	return strings.Join(out, ", ")
}

// launchModel fills in which weights the started servers serve.
func launchModel(d *definition, m *Model, shared *backends.Launch) *backends.Launch {
	if shared == nil {
		return nil // its mistakes were reported
	}
	l, r := *shared, d.model()
	switch {
	case r.Path == nil:
		l.Weights, l.Revision = m.Config.Model.ID, or(r.Revision, "")
		if r.ID == nil && l.Engine != "" {
			d.missing("id", "the weights that the engine serves, by their name on the hub: id = \"google/gemma-3-1b-it\"; or "+
				"path = "+
				"a folder of this machine")
		}
		if strings.HasPrefix(l.Weights, "-") {
			d.wrong("id", "an engine would take this for a flag", "names of the hub begin with a letter or a digit")
		}
	case strings.HasPrefix(*r.Path, "builtin:"):
		d.wrong("path", "a built-in model is not in a folder of this machine, where an engine could read it",
			"copy it into one; or backend = \"local\"")
	case strings.HasPrefix(*r.Path, ref.Scheme):
		d.wrong("path", "the engine fetches weights from the hub by itself",
			"write id = \"OWNER/NAME\" and revision = \"COMMIT\" in place of path")
	default:
		where, ok := d.file.path(d.at+".path", *r.Path)
		if ok {
			if _, err := d.file.fsys.stat(where); err != nil {
				d.wrong("path", fmt.Sprintf("cannot find the weights %s: %s", where, reason(err)),
					"paths are relative to the file that contains them")
			}
			l.Weights, l.Local, m.Path = where, true, *r.Path
			l.Content = r.Revision == nil
		}
	}
	checkLaunchNames(d, &l)
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

// engineVariant distinguishes embedders and scorers whose results differ by settings of their engine: what they
// compute is kept by their revision alone.
func engineVariant(m Model) string {
	remote, _ := m.Config.Remote()
	settings := remote.Engine()
	if len(settings) == 0 {
		return ""
	}
	text, err := json.Marshal(settings)
	if err != nil {
		panic("spec: checked settings have no JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return "+" + hex.EncodeToString(sum[:4])
}
