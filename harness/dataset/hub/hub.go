// Package hub downloads datasets and model folders from the Hugging Face hub. It owns the choice of files, downloads
// that are checked against the hub's digests, and the hub's cache layout, which it shares with other programs. It
// refuses to read rows and to open models.
//
// Its opinion: data are identified by a commit, never by a branch. A revision is resolved once, and then everything is
// requested by its commit. A file with a wrong digest is never put into the cache. A list of files that may be
// incomplete is an error, because a dataset that is silently shorter is another dataset.
package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"infnet/backends/redact"
	"infnet/harness/dataset/hub/ref"
	"infnet/harness/regular"
)

// DefaultEndpoint is the hub.
const DefaultEndpoint = "https://huggingface.co"

// Options say where the hub and its cache are.
type Options struct {
	Endpoint string // of the hub or a mirror; "" = DefaultEndpoint
	Cache    string // folder of the cache ("…/huggingface/hub"); required
	Token    string // secret; sent to the endpoint's host alone; "" = anonymous
	Offline  bool   // open no connection: only what the cache holds
	Why      string // in errors: why it is offline and what to do; "" = as for HF_HUB_OFFLINE

	Progress func(Progress) // called during downloads, one call at a time per download; may be nil
	Tries    int            // of a request; 0 = 5
	Wait     time.Duration  // before the second try, doubling; 0 = 1 s
	Stall    time.Duration  // a try ends after this long without a byte; 0 = 1 min
}

// Progress is how far a download is.
type Progress struct {
	Name string // path in the repository
	At   int    // of Of, from 1
	Of   int    // files of this download
	Done int64  // bytes of this try
	Size int64  // bytes of the file
}

// File is a file of the cache.
type File struct {
	Path   string // where it is, in the snapshot of its commit
	Name   string // path in the repository
	Size   int64  // bytes
	Digest string // SHA-256 (64 hexadecimal digits), or for small files git's SHA-1 (40)
}

// Download is what a reference names.
type Download struct {
	Ref    Ref    // with configuration and split filled in, and the commit as the revision: pins what was used
	Commit string // 40 hexadecimal digits
	Dir    string // the snapshot's folder: a model's path
	Files  []File // in order; a dataset's shards as rows are numbered

	// Of is the number of files in the repository: more than len(Files) where enough was satisfied by the first ones.
	Of int

	// Partial says that the hub exported only the beginning of the split
	// (about 5 GB), so the last row here is not the last row.
	Partial bool
}

// Paths returns the files' paths in order.
func (d *Download) Paths() []string {
	out := make([]string, len(d.Files))
	for i, f := range d.Files {
		out[i] = f.Path
	}
	return out
}

// FromEnvironment reads the hub's own variables, as its Python library does: HF_ENDPOINT (the hub or a mirror), HF_HOME
// (the cache is its folder hub; without it ~/.cache/huggingface), HF_TOKEN (else the file HF_HOME/token) and
// HF_HUB_OFFLINE.
func FromEnvironment(getenv func(string) string) (Options, error) {
	o := Options{Endpoint: getenv("HF_ENDPOINT"),
		Offline: slices.Contains([]string{"1", "ON", "YES", "TRUE"}, strings.ToUpper(getenv("HF_HUB_OFFLINE")))}
	home, user := getenv("HF_HOME"), cmp.Or(getenv("HOME"), getenv("USERPROFILE"))
	if home == "" && user == "" {
		return Options{}, errNoCache
	}
	home = cmp.Or(home, filepath.Join(cmp.Or(getenv("XDG_CACHE_HOME"), filepath.Join(user, ".cache")), "huggingface"))
	o.Cache = filepath.Join(home, "hub")
	if o.Token = strings.TrimSpace(getenv("HF_TOKEN")); o.Token == "" {
		b, err := regular.ReadFile(filepath.Join(home, "token"))
		if errors.Is(err, regular.ErrKind) {
			return Options{}, fmt.Errorf("the hub's token: %w", err)
		}
		o.Token = strings.TrimSpace(string(b)) // no file: anonymous
	}
	return o, nil
}

var errNoCache = errors.New("there is no place for the hub's cache: set HF_HOME to a folder")

// Client downloads. It is safe for concurrent use, also by many processes on one cache.
type Client struct {
	o    Options
	base *url.URL
	http *http.Client

	secrets *redact.Redactor // taken out of a server's words
}

// New makes a client. It opens no connection.
func New(o Options) (*Client, error) {
	base, err := url.Parse(strings.TrimRight(cmp.Or(o.Endpoint, DefaultEndpoint), "/"))
	switch {
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" || base.User != nil ||
		base.RawQuery != "" || base.Fragment != "":
		return nil, fmt.Errorf("the hub's endpoint is no plain URL: set HF_ENDPOINT to one such as %s, or unset it; a "+
			"token goes into HF_TOKEN", DefaultEndpoint)
	case o.Cache == "":
		return nil, errNoCache
	case strings.ContainsFunc(o.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, fmt.Errorf("HF_TOKEN holds a character that no token has: copy it again")
	}
	if o.Cache, err = filepath.Abs(o.Cache); err != nil {
		return nil, fmt.Errorf("the hub's cache: %w", err)
	}
	o.Why = cmp.Or(o.Why, "HF_HUB_OFFLINE is set: run once without it")
	o.Tries, o.Wait, o.Stall = cmp.Or(o.Tries, 5), cmp.Or(o.Wait, time.Second), cmp.Or(o.Stall, time.Minute)
	c := &Client{o: o, base: base, secrets: redact.New(o.Token)}
	c.http = &http.Client{CheckRedirect: c.redirect}
	return c, nil
}

// Download downloads the shards of a dataset's split, in order, or what it takes to run a model: its configuration,
// tokenizer and safetensors weights, into one folder (Download.Dir). enough, where not nil, is asked after each file
// whether those so far will do, so that a study of the first rows need not download the rest.
//
// Without a revision it takes the Parquet export that the hub makes of every dataset (branch refs/convert/parquet), of
// a model the branch main; with one, of a dataset the Parquet files of that branch, tag or commit, laid out as the hub
// lays them out. A configuration or split may be left out where there is only one.
func (c *Client) Download(ctx context.Context, r Ref, enough func([]File) (bool, error)) (*Download, error) {
	s := cache{root: c.o.Cache, ref: r}
	commit, err := c.resolve(ctx, s)
	if err != nil {
		return nil, err
	}
	l, err := c.listing(ctx, s, commit)
	if err != nil {
		return nil, err
	}
	d := &Download{Ref: r, Commit: commit, Dir: s.snapshot(commit), Of: len(l.Files), Partial: l.Partial}
	d.Ref.Config, d.Ref.Split, d.Ref.Revision = l.Config, l.Split, commit
	for i, e := range l.Files {
		f, err := c.fetch(ctx, s, commit, e, Progress{Name: e.Path, At: i + 1, Of: len(l.Files), Size: e.Size})
		if err != nil {
			return nil, err
		}
		if d.Files = append(d.Files, f); enough == nil || i == len(l.Files)-1 {
			continue
		}
		if done, err := enough(d.Files); err != nil {
			return nil, fmt.Errorf("%s: %w", r, err)
		} else if done {
			break
		}
	}
	return d, nil
}

// resolve finds the commit of the reference's revision and notes it in the cache. A revision that is a commit costs no
// call; offline, the cache's note counts.
func (c *Client) resolve(ctx context.Context, s cache) (string, error) {
	if err := s.ref.Check(); err != nil {
		return "", err
	}
	revision := s.ref.At()
	if commitSHA.MatchString(revision) {
		return revision, nil
	}
	if c.o.Offline {
		if commit, ok := s.readRef(revision); ok {
			return commit, nil
		}
		return "", c.missing(s.ref, s.ref.String())
	}
	var info struct {
		SHA string `json:"sha"`
	}
	if _, err := c.json(ctx, c.api(s.ref, "/revision/"+url.PathEscape(revision)), &info); err != nil {
		return "", c.explain(s.ref, err)
	}
	if !commitSHA.MatchString(info.SHA) {
		return "", fmt.Errorf("%s: the hub names no commit for revision %q: is HF_ENDPOINT the hub?", s.ref, revision)
	}
	return info.SHA, s.write(s.refFile(revision), []byte(info.SHA))
}

// listing returns which files the reference is at a commit: as noted in the
// cache, since a commit never changes, else as the hub says.
func (c *Client) listing(ctx context.Context, s cache, commit string) (listing, error) {
	if l, ok := s.readListing(commit); ok {
		return l, nil
	}
	if c.o.Offline {
		return listing{}, c.missing(s.ref, fmt.Sprintf("%s at commit %s", s.ref, commit))
	}
	all, err := c.tree(ctx, s.ref, commit)
	if err != nil {
		return listing{}, c.explain(s.ref, err)
	}
	var l listing
	if s.ref.Kind == ref.Model {
		l.Files, err = modelFiles(all)
	} else {
		l, err = shards(all, s.ref)
	}
	if err != nil {
		return listing{}, fmt.Errorf("%s: %w", s.ref, err)
	}
	return l, s.writeListing(commit, l)
}

// missing says that the cache does not hold what is asked for.
func (c *Client) missing(r Ref, what string) error {
	return &OfflineError{Ref: r, what: fmt.Sprintf("%s is not in the cache %s, and %s", what, c.o.Cache, c.o.Why)}
}

// Ref is a reference. References have a package of their own, which knows no network.
type Ref = ref.Ref

// They are read by its functions.
var (
	ParseDataset = ref.ParseDataset
	ParseModel   = ref.ParseModel
)

var commitSHA = regexp.MustCompile(`^[0-9a-f]{40}$`)
