package hub

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// Held is what the cache holds of a model that another program loads.
type Held struct {
	Weights int64  // bytes of the files of weights that are there
	Lacks   string // what is missing, for people; "" = nothing
}

// Look says what the cache holds of a model. It opens no connection, and neither reads nor checks weights:
// a program that loads them does.
func (c *Client) Look(r Ref) (Held, error) {
	if err := r.Check(); err != nil {
		return Held{}, err
	}
	s := cache{root: c.o.Cache, ref: r}
	commit := r.At()
	if !commitSHA.MatchString(commit) {
		commit, _ = s.readRef(commit)
	}
	files, err := os.ReadDir(s.snapshot(commit))
	if commit == "" || errors.Is(err, fs.ErrNotExist) {
		return Held{Lacks: "nothing is in the cache"}, nil
	}
	if err != nil {
		return Held{}, s.diagnose(err)
	}
	var have []entry
	for _, f := range files {
		if info, err := os.Stat(filepath.Join(s.snapshot(commit), f.Name())); err == nil { // what the link points to
			have = append(have, entry{Path: f.Name(), Size: info.Size()})
		}
	}
	h := Held{Weights: weights(have)}
	if _, err = modelFiles(have); err != nil {
		h.Lacks = "in the cache, and not complete: " + err.Error()
	}
	return h, nil
}

// Size asks the hub how many bytes the weights of a model are, and whether the token may read them: the
// error is a GatedError where it may not. Nothing is downloaded.
func (c *Client) Size(ctx context.Context, r Ref) (int64, error) {
	commit, err := c.resolve(ctx, cache{root: c.o.Cache, ref: r})
	if err != nil {
		return 0, err
	}
	all, err := c.tree(ctx, r, commit)
	if err == nil {
		err = c.get(ctx, c.file(r, commit, "config.json"), func(*http.Response) error { return nil })
	}
	if err != nil {
		return 0, c.explain(r, err)
	}
	return weights(all), nil
}

// weights is the size of the safetensors files of the transformers layout.
func weights(list []entry) int64 {
	var sum int64
	for _, e := range list {
		if strings.HasPrefix(e.Path, "model") && strings.HasSuffix(e.Path, ".safetensors") {
			sum += e.Size
		}
	}
	return sum
}

// Cache is the folder of the cache.
func (c *Client) Cache() string { return c.o.Cache }

// Known reports whether the client has a token.
func (c *Client) Known() bool { return c.o.Token != "" }

// Space is how many bytes are free where the cache is, or will be; false where the system does not say.
func (c *Client) Space() (int64, bool) {
	for dir := filepath.Clean(c.o.Cache); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			return free(dir)
		} else if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return 0, false
		}
	}
}
