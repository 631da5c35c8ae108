package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"infnet/harness/dataset/hub/ref"
	"infnet/harness/regular"
)

// resolve finds the commit of the reference's revision and notes it in the cache. A revision that is a commit costs no
// call; offline, the cache's note counts.
func (c *Client) resolve(ctx context.Context, s cache) (string, error) {
	revision := s.ref.At()
	if commitSHA.MatchString(revision) {
		return revision, nil
	}
	if c.o.Offline {
		if commit, ok := s.readRef(revision); ok {
			return commit, nil
		}
		return "", c.missing(s.ref, fmt.Sprintf("%s is not in the cache %s at revision %q", s.ref, c.o.Cache, revision))
	}
	var info struct {
		SHA string `json:"sha"`
	}
	if _, err := c.json(ctx, c.base.api(s.ref, "/revision/"+url.PathEscape(revision)), &info); err != nil {
		return "", c.explain(s.ref, err)
	}
	if !commitSHA.MatchString(info.SHA) {
		return "", fmt.Errorf("%s: the hub names no commit for revision %q: is HF_ENDPOINT the hub?", s.ref, revision)
	}
	if err := s.write(s.refFile(revision), []byte(info.SHA)); err != nil {
		return "", err
	}
	return info.SHA, nil
}

// listing returns which files the reference is at a commit: as noted in the
// cache, since a commit never changes, else as the hub says.
func (c *Client) listing(ctx context.Context, s cache, commit string) (listing, error) {
	if l, ok := s.readListing(commit); ok {
		return l, nil
	}
	if c.o.Offline {
		return c.offline(s, commit)
	}
	l, err := c.choose(ctx, s, commit)
	if err != nil {
		return listing{}, c.explain(s.ref, err)
	}
	l.Version = listVersion
	b, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return listing{}, err
	}
	return l, s.write(s.listFile(commit), append(b, '\n'))
}

// choose asks the hub for its files and chooses among them.
func (c *Client) choose(ctx context.Context, s cache, commit string) (listing, error) {
	if s.ref.Kind == ref.Model {
		all, err := c.tree(ctx, s.ref, commit, "", false)
		if err != nil {
			return listing{}, err
		}
		deep, err := c.tree(ctx, s.ref, commit, poolingFolder, false)
		if err != nil && answered(err).status != http.StatusNotFound {
			return listing{}, err
		}
		return modelFiles(append(all, deep...), func(e entry) ([]byte, error) {
			f, err := c.fetch(ctx, s, commit, e, 1, 1)
			if err != nil {
				return nil, err
			}
			return regular.ReadFile(f.Path)
		})
	}
	if s.ref.Config != "" { // one folder instead of thousands
		some, err := c.tree(ctx, s.ref, commit, s.ref.Config, true)
		if err != nil && (answered(err).status != http.StatusNotFound || answered(err).code == "RevisionNotFound") {
			return listing{}, err
		}
		if l, err := shards(some, s.ref); err == nil {
			return l, nil
		}
	}
	all, err := c.tree(ctx, s.ref, commit, "", true)
	if err != nil {
		return listing{}, err
	}
	return shards(all, s.ref)
}

// offline makes a listing of what another program left in the cache, where that is known to be complete.
func (c *Client) offline(s cache, commit string) (listing, error) {
	have, err := s.cached(commit)
	if err != nil {
		return listing{}, fmt.Errorf("%s: %w", s.ref, err)
	}
	if len(have) == 0 {
		return listing{}, c.missing(s.ref, fmt.Sprintf("%s is not in the cache %s at commit %s", s.ref, c.o.Cache, commit))
	}
	var l listing
	if s.ref.Kind == ref.Model {
		l, err = s.modelFiles(commit, have)
	} else {
		l, err = shards(have, s.ref)
	}
	if err != nil {
		return listing{}, c.missing(s.ref, fmt.Sprintf("%s: in the cache: %v", s.ref, err))
	}
	if s.ref.Kind == ref.Dataset && !counted(l) {
		return listing{}, c.missing(s.ref,
			fmt.Sprintf("%s: the cache holds %d of its files, but not how many there are", s.ref, len(l.Files)))
	}
	return l, nil
}

// missing says that the cache does not hold what is asked for.
func (c *Client) missing(r Ref, what string) error {
	return &OfflineError{Ref: r, what: what + ", and " + c.o.Why}
}

// maxPages is the most pages of one listing; the hub's have up to 1,000 files.
const maxPages = 400

// maxEntries is the most files of one listing, but for those of its last page.
const maxEntries = 200_000

// tree lists the files of a folder at a commit, page by page.
func (c *Client) tree(ctx context.Context, r Ref, commit, folder string, recursive bool) ([]entry, error) {
	address := c.base.api(r, "/tree/"+commit)
	if folder != "" {
		address += "/" + escape(folder)
	}
	address += fmt.Sprintf("?recursive=%t&expand=false", recursive)
	var out []entry
	for pages := 0; address != ""; pages++ {
		if pages == maxPages || len(out) > maxEntries {
			return nil, fmt.Errorf("the listing of %s does not end after %d pages and %d files: is HF_ENDPOINT the hub? Of a "+
				"dataset, name a configuration", r, pages, len(out))
		}
		var page []struct {
			Type string `json:"type"`
			Path string `json:"path"`
			OID  string `json:"oid"`
			Size int64  `json:"size"`
			LFS  *struct {
				OID  string `json:"oid"`
				Size int64  `json:"size"`
			} `json:"lfs"`
		}
		next, err := c.json(ctx, address, &page)
		if err != nil {
			return nil, err
		}
		for _, f := range page {
			if f.Type != "file" {
				continue
			}
			e := entry{Path: f.Path, Size: f.Size, Digest: f.OID}
			if f.LFS != nil { // oid is then of a pointer
				e.Size, e.Digest = f.LFS.Size, f.LFS.OID
			}
			if err := e.check(); err != nil {
				return nil, err
			}
			out = append(out, e)
		}
		address = next
	}
	return out, nil
}
