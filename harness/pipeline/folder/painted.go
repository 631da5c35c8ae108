package folder

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"reflect"
	"sync"

	"infnet/harness/regular"
	"infnet/harness/store"
)

// painted remembers which drawing each picture of a folder shows, so that a picture is painted again only when there is
// another drawing. It lies in the cache: without it, everything is painted.
type painted struct {
	dir string // of the results

	mu     sync.Mutex
	before map[string]shown // by the picture's file name, as the last run left it
	now    map[string]shown
}

// shown is a drawing and the picture of it, both by their SHA-256.
type shown struct {
	Drawing string `json:"drawing"`
	Picture string `json:"picture"`
}

func readPainted(dir string) *painted {
	p := &painted{dir: dir, now: map[string]shown{}}
	if data, err := regular.ReadFile(p.path()); err != nil || json.Unmarshal(data, &p.before) != nil {
		p.before = nil
	}
	return p
}

func (p *painted) path() string { return filepath.Join(p.dir, Cache, "painted.json") }

// paint returns the picture of a drawing: the file that is there, if it is that, or what anew paints.
func (p *painted) paint(name, drawing string, anew func() ([]byte, error)) ([]byte, error) {
	last := p.before[name]
	data, err := regular.ReadFile(filepath.Join(p.dir, Figures, filepath.FromSlash(name)))
	if err != nil || last.Drawing != drawing || last.Picture != sum(data) {
		if data, err = anew(); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now[name] = shown{drawing, sum(data)}
	return data, nil
}

// keep writes down what is shown now. An error only costs the next run time.
func (p *painted) keep() {
	if reflect.DeepEqual(p.before, p.now) {
		return
	}
	if data, err := json.MarshalIndent(p.now, "", "  "); err == nil {
		_ = store.WriteFile(p.path(), append(data, '\n'))
	}
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
