package local

import (
	"fmt"
	"io/fs"

	"infnet/backends"
	"infnet/backends/runtime/folder"
)

// Facts are what a folder says about its model apart from the weights: enough to price a study and
// to check its labels before any model is loaded.
type Facts struct {
	shape  backends.Shape
	tokens *vocabulary
}

var _ backends.Facts = (*Facts)(nil)

// InspectFS reads the small files of the model folder at the root of fsys. Its errors are those of
// OpenFS, except those about the weights.
func InspectFS(fsys fs.FS) (*Facts, error) {
	s, err := readSetup(fsys)
	if err != nil {
		return nil, err
	}
	tokens, err := readTokens(fsys, s)
	if err != nil {
		return nil, err
	}
	return &Facts{shape: s.plan.Shape, tokens: tokens}, nil
}

// Shape is the network's shape as the config.json at the root of fsys states it.
func Shape(fsys fs.FS) (backends.Shape, error) {
	var c config
	if err := folder.Read(fsys, configFile, &c); err != nil {
		return backends.Shape{}, err
	}
	p, err := c.plan()
	if err != nil {
		return backends.Shape{}, fmt.Errorf("%s: %w", configFile, err)
	}
	return p.Shape, nil
}

// Shape is the network's shape as config.json states it.
func (f *Facts) Shape() backends.Shape { return f.shape }

// CheckLabels is Model.CheckLabels without the weights.
func (f *Facts) CheckLabels(prompt string, labels []string) error {
	m := Model{tokens: f.tokens}
	r := m.raw(prompt)
	if _, failure := m.labelTokens(r, r.encode(m.tokens), labels); failure != nil {
		return fmt.Errorf("%s", failure.Message)
	}
	return nil
}
