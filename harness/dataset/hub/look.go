package hub

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Held is what the cache holds of a model that another program loads.
type Held struct {
	Commit  string // "" = the cache does not know the revision's
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
	h := Held{Commit: r.At()}
	if !commitSHA.MatchString(h.Commit) {
		var known bool
		if h.Commit, known = s.readRef(r.At()); !known {
			return Held{Lacks: "nothing is in the cache"}, nil
		}
	}
	have, err := s.cached(h.Commit)
	if err != nil {
		return Held{}, s.diagnose(err)
	}
	h.Weights = weights(have)
	if len(have) == 0 {
		h.Lacks = "nothing is in the cache"
		return h, nil
	}
	if _, err = s.modelFiles(h.Commit, have); err != nil {
		h.Lacks = "in the cache, and not complete: " + err.Error()
	}
	return h, nil
}

// Size asks the hub how many bytes the weights of a model are, and whether the token may read them: the
// error is a GatedError where it may not. Nothing is downloaded.
func (c *Client) Size(ctx context.Context, r Ref) (int64, error) {
	if err := r.Check(); err != nil {
		return 0, err
	}
	commit, err := c.resolve(ctx, cache{root: c.o.Cache, ref: r})
	if err != nil {
		return 0, err
	}
	all, err := c.tree(ctx, r, commit, "", false)
	if err != nil {
		return 0, c.said(r, err)
	}
	err = c.again(ctx, func() (bool, error) {
		ctx, cancel := context.WithTimeout(ctx, c.o.Stall)
		defer cancel()
		resp, err := c.get(ctx, c.base.file(r, commit, "config.json"), 0)
		if err == nil {
			resp.Body.Close()
		}
		return false, err
	})
	if err != nil && answered(err).status != http.StatusNotFound {
		return 0, c.said(r, err)
	}
	return weights(all), nil
}

// said explains what the hub answered. An error without an answer is of no repository, and stays as it is.
func (c *Client) said(r Ref, err error) error {
	if answered(err).status != 0 {
		return c.explain(r, err)
	}
	return err
}

// weights is the size of the files from which engines load weights: of the transformers layout, in the folder itself.
// Files of several layouts (consolidated.safetensors beside model.safetensors) are not added up.
func weights(list []entry) int64 {
	sums := map[string]int64{}
	for _, e := range list {
		name := path.Base(e.Path)
		switch {
		case name != e.Path:
		case strings.HasPrefix(name, "consolidated") && strings.HasSuffix(name, ".safetensors"):
			sums["consolidated"] += e.Size
		case strings.HasSuffix(name, ".safetensors"):
			sums["model"] += e.Size
		case strings.HasSuffix(name, ".gguf"):
			sums["gguf"] += e.Size
		case strings.HasPrefix(name, "pytorch_model") && strings.HasSuffix(name, ".bin"):
			sums["pytorch"] += e.Size
		}
	}
	for _, layout := range []string{"model", "consolidated", "pytorch", "gguf"} {
		if sums[layout] > 0 {
			return sums[layout]
		}
	}
	return 0
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
		} else if !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir) {
			return 0, false
		}
	}
}
