package spec

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/choice"
	"infnet/harness/dataset/hub/ref"
	"infnet/harness/spec/place"
)

type modelCheck struct {
	files   *sources
	servers map[string]*backend
	builtin fs.FS // the built-in models; nil = there are none
	study   *Study
}

func (c *modelCheck) model(d *definition) Model {
	m := *d.model()
	m.Currency = cmp.Or(m.Currency, defaultCurrency)
	m.Priced = m.Priced || d.has("price_in") && d.has("price_out")
	m.Config.Model = backends.ModelID{ID: cmp.Or(m.ID, d.name), Revision: m.Revision}
	if m.Backend == "" && d.has("answers") {
		m.Backend = string(backends.Replay)
	}
	if m.Backend == "" {
		d.missing("backend", "want one of local, simulated, or the name of a [backends] table; or answers = "+
			"\"file.jsonl\" for answers recorded elsewhere")
		return m
	}
	checkRevision(d, m.Revision)
	k, b := c.backend(d, m.Backend)
	if k == nil {
		return m
	}
	m.Config.Model.Kind = k.name
	k.keys(d.file, d.at, d.model())
	if b != nil {
		b.check(k, c.study)
	}
	if m.ShapeOf != "" {
		checkShape(d, &m)
	}
	if m.Samples != nil && b != nil {
		checkSent(d, b)
	}
	if k.open != nil {
		k.served(d, &m, b)
	} else {
		k.model(c, d, &m, b)
	}
	m.Replay = Recording{}
	return m
}

// checkSent refuses samples where the backend's own fields decide how answers are drawn.
func checkSent(d *definition, b *backend) {
	for _, field := range []string{"temperature", "top_p", "seed"} {
		if _, set := b.raw.Extra[field]; set {
			d.wrong("samples", fmt.Sprintf("the model's backend sets %s for every request (extra), which its samples decide",
				field), "leave it out there")
		}
	}
	if slices.Contains(b.raw.Drop, "temperature") {
		d.wrong("samples", "the model's backend leaves temperature out of every request (drop), and samples need it",
			"name a backend that sends it")
	}
}

// backend resolves a model's backend: a kind, and its table if it has one. The kind is nil after a
// problem.
func (c *modelCheck) backend(d *definition, name string) (*kind, *backend) {
	if slices.Contains(ownKinds(), name) {
		return kindOf(backends.Kind(name)), nil
	}
	if b, ok := c.servers[name]; ok {
		b.used = true
		return b.kind(), b
	}
	known := append(ownKinds(), slices.Sorted(maps.Keys(c.servers))...)
	all, near := strings.Join(known, ", "), choice.Nearest(name, known)
	message := fmt.Sprintf("no backend is named %q", name)
	switch {
	case name == string(backends.Lexical):
		d.wrong("backend", "lexical embeds texts and answers nothing", "leave [embedder] out to embed by it; there are "+all)
	case slices.Contains(tableKinds(), rawKind(name)):
		d.wrong("backend", fmt.Sprintf("%q is a kind of backend that needs an address", name),
			fmt.Sprintf("write [backends.my-server] with kind = %q and urls = [\"http://host:8000/v1\"], and backend = "+
				"\"my-server\" here", name))
	case near != "":
		d.wrong("backend", message, fmt.Sprintf("did you mean %q? there are %s", near, all))
	default:
		d.wrong("backend", message, fmt.Sprintf("there are %s; others are tables: [backends.%s]", all, name))
	}
	return nil, nil
}

const longestRevision = 200

func checkRevision(d *definition, revision string) {
	fault := ""
	switch {
	case revision == "" && d.has("revision"):
		fault = "the text is empty"
	case len(revision) > longestRevision:
		fault = fmt.Sprintf("a revision of more than %d characters", longestRevision)
	case strings.ContainsFunc(revision, func(c rune) bool { return c <= ' ' || c >= 0x7f || c == '<' || c == '>' }):
		fault = fmt.Sprintf("the revision %q has a character that revisions must not have", revision)
	default:
		return
	}
	d.wrong("revision", fault, "the hub's commit, such as dcc83ea841ab6100d6b47a070329e1ba4cf78752, or a word of "+
		"yours; no blanks")
}

// folderModel checks a model in this process: its weights are in a folder, or on the hub, where the folder is known
// after the download.
func folderModel(c *modelCheck, d *definition, m *Model, b *backend) {
	config := &backends.FolderConfig{}
	if b != nil {
		config.Batch = b.raw.Batch
	}
	m.Config.Settings, m.FS = config, d.file.fsys.system
	name, builtin := strings.CutPrefix(m.Path, "builtin:")
	switch {
	case m.Path == "":
		d.missing("path", "the folder with config.json, *.safetensors and tokenizer.model or tokenizer.json")
	case builtin:
		if config.Path, m.FS = name, c.builtin; !slices.Contains(c.builtins(), name) {
			hint := "there are none; name a folder"
			if names := c.builtins(); len(names) > 0 {
				hint = place.Suggest(name, names)
			}
			d.wrong("path", fmt.Sprintf("no built-in model %q", name), hint)
		}
	case strings.HasPrefix(m.Path, ref.Scheme):
		checkHubModel(d, m)
	default:
		where, info := d.file.existing(d.at+".path", m.Path, "the model folder ")
		if config.Path = where; info != nil && !info.IsDir() {
			d.wrong("path", fmt.Sprintf("%s is a file", where), "name the folder that holds config.json")
		}
	}
}

func (c *modelCheck) builtins() (names []string) {
	if c.builtin == nil {
		return nil
	}
	entries, _ := fs.ReadDir(c.builtin, ".")
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// checkHubModel checks the reference of a hub model without calling the hub. Without an id the
// model has the hub's.
func checkHubModel(d *definition, m *Model) {
	found, err := ref.ParseModel(m.Path)
	if err != nil {
		d.wrong("path", err.Error(), "hf:OWNER/NAME@REVISION, such as hf:google/gemma-3-270m-it@main; a folder of such a "+
			"name is ./hf:…")
		return
	}
	if m.Revision != "" {
		d.wrong("revision", "a model on the hub has its revision in its path",
			fmt.Sprintf("leave it out, and write path = \"hf:%s@REVISION\"", found.Repo))
	}
	m.Config.Model.ID = cmp.Or(m.ID, found.Repo)
	m.FS, m.Hub = nil, found.String()
}

// knownShapes are the models of the paper's study. The numbers are those of
// the models' config.json on the Hugging Face hub (text part); parameters are
// the round ones of the models' names, which the published cost signature
// takes. gemma3-1b has in truth a little under one billion.
var knownShapes = []struct {
	name  string
	shape backends.Shape
}{
	{"gemma3-1b", backends.Shape{Hidden: 1152, Layers: 26, Heads: 4, HeadDim: 256, KVHeads: 1, FeedForward: 6912,
		Vocabulary: 262144, Window: 512, GlobalEvery: 6, Gated: true, Params: 1}},
	{"gemma3-4b", backends.Shape{Hidden: 2560, Layers: 34, Heads: 8, HeadDim: 256, KVHeads: 4, FeedForward: 10240,
		Vocabulary: 262208, Window: 1024, GlobalEvery: 6, Gated: true, Params: 4}},
	{"gemma3-12b", backends.Shape{Hidden: 3840, Layers: 48, Heads: 16, HeadDim: 256, KVHeads: 8, FeedForward: 15360,
		Vocabulary: 262208, Window: 1024, GlobalEvery: 6, Gated: true, Params: 12}},
	{"gemma3-27b", backends.Shape{Hidden: 5376, Layers: 62, Heads: 32, HeadDim: 128, KVHeads: 16, FeedForward: 21504,
		Vocabulary: 262208, Window: 1024, GlobalEvery: 6, Gated: true, Params: 27}},
	{"qwen3-4b", backends.Shape{Hidden: 2560, Layers: 36, Heads: 32, HeadDim: 128, KVHeads: 8, FeedForward: 9728,
		Vocabulary: 151936, Gated: true, Params: 4}},
	{"ministral3-3b", backends.Shape{Hidden: 3072, Layers: 26, Heads: 32, HeadDim: 128, KVHeads: 8, FeedForward: 9216,
		Vocabulary: 131072, Gated: true, Params: 3}},
}

func shapeNames() string {
	var names []string
	for _, k := range knownShapes {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}

// checkShape takes over the shape that a spec names, and the parameters of a known one.
func checkShape(d *definition, m *Model) {
	for _, k := range knownShapes {
		if k.name == m.ShapeOf {
			m.Shape = &k.shape
			m.Params = cmp.Or(m.Params, m.Shape.Params)
			m.Shape.Params = m.Params
			return
		}
	}
	where, ok := d.file.path(d.at+".shape", m.ShapeOf)
	if !ok {
		return
	}
	if _, err := d.file.fsys.stat(path.Join(where, "config.json")); err != nil {
		d.wrong("shape", fmt.Sprintf("no known shape %q, and no folder with a config.json", m.ShapeOf),
			"name a folder that holds the model's config.json, or a known shape: "+shapeNames())
		return
	}
	m.ShapeIn = where
}
