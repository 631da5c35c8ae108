package spec

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/dataset/hub/ref"
	"infnet/harness/spec/place"
)

// localKind is a language model in this process.
func localKind() *kind {
	return &kind{
		name: backends.Local, title: "a local model", own: true,
		table: func(b *backend, _ *Study) any {
			return backends.FolderConfig{Batch: b.raw.Batch}
		},
		model: func(c *modelCheck, d *definition, m *Model, b *backend) {
			if path, ok := c.folder(d, m); ok {
				config := backends.FolderConfig{}
				if b != nil {
					config, _ = b.common.(backends.FolderConfig)
				}
				config.Path = path
				m.Config.Settings = &config
			}
		},
	}
}

// encoderKind is a sentence encoder in this process, which only embeds.
func encoderKind() *kind {
	return &kind{
		name: backends.Encoder, title: "an encoder", own: true,
		model: func(c *modelCheck, d *definition, m *Model, _ *backend) {
			if path, ok := c.folder(d, m); ok {
				m.Config.Settings = &backends.FolderConfig{Path: path}
			}
		},
	}
}

// bartKind is a sequence-to-sequence scorer in this process, which only scores.
func bartKind() *kind {
	return &kind{
		name: backends.BART, title: "a scorer", own: true,
		model: func(c *modelCheck, d *definition, m *Model, _ *backend) {
			if path, ok := c.folder(d, m); ok {
				m.Config.Settings = &backends.FolderConfig{Path: path}
			}
		},
	}
}

// folder finds the folder of a model's weights: "" for a hub model, whose folder is known after the
// download. It returns false after a problem.
func (c *modelCheck) folder(d *definition, m *Model) (string, bool) {
	r := d.model()
	if r.Path == nil {
		d.missing("path", "the folder with config.json, *.safetensors and tokenizer.model or tokenizer.json")
		return "", false
	}
	m.Path, m.FS = *r.Path, d.file.fsys.system()
	if name, ok := strings.CutPrefix(*r.Path, "builtin:"); ok {
		return c.builtinModel(d, m, name)
	}
	if strings.HasPrefix(*r.Path, ref.Scheme) {
		return "", checkHubModel(d, m)
	}
	where, ok := d.file.path(d.at+".path", *r.Path)
	if !ok {
		return "", false
	}
	if info, err := d.file.fsys.stat(where); err != nil {
		d.wrong("path", fmt.Sprintf("cannot find the model folder %s: %s", where, reason(err)),
			"paths are relative to the file that contains them")
	} else if !info.IsDir() {
		d.wrong("path", fmt.Sprintf("%s is a file", where), "name the folder that holds config.json")
	}
	return where, true
}

// checkHubModel checks the reference of a hub model without calling the hub. Without an id the
// model has the hub's.
func checkHubModel(d *definition, m *Model) bool {
	r := d.model()
	found, err := ref.ParseModel(*r.Path)
	if err != nil {
		d.wrong("path", err.Error(), "hf:OWNER/NAME@REVISION, such as hf:google/gemma-3-270m-it@main; a folder of such a "+
			"name is ./hf:…")
		return false
	}
	if r.Revision != nil {
		d.wrong("revision", "a model on the hub has its revision in its path",
			fmt.Sprintf("leave it out, and write path = \"hf:%s@REVISION\"", found.Repo))
	}
	if r.ID == nil {
		m.Config.Model.ID = found.Repo
	}
	m.FS, m.Hub = nil, found.String()
	return true
}

// builtinModel finds a model that comes with infnet.
func (c *modelCheck) builtinModel(d *definition, m *Model, name string) (string, bool) {
	var names []string
	if c.builtin != nil {
		entries, _ := fs.ReadDir(c.builtin, ".")
		for _, e := range entries {
			if e.IsDir() {
				names = append(names, e.Name())
			}
		}
	}
	if !slices.Contains(names, name) {
		hint := "there are none; name a folder"
		if len(names) > 0 {
			hint = place.Suggest(name, names)
		}
		d.wrong("path", fmt.Sprintf("no built-in model %q", name), hint)
		return "", false
	}
	m.FS = c.builtin
	return name, true
}
