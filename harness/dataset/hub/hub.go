// Package hub downloads datasets and model folders from the Hugging Face hub. It owns references
// (hf:owner/name/config:split@revision), the choice of files, downloads that resume and are checked
// against the hub's digests, and the hub's cache layout, which it shares with other programs. It
// refuses to read rows and to open models.
//
// Its opinion: data are identified by a commit, never by a branch. A revision is resolved once, and then everything is
// requested by its commit. A file with a wrong digest is never returned. A list of files that may be incomplete is an
// error, because a dataset that is silently shorter is another dataset.
//
// There is a library, github.com/gomlx/go-huggingface/hub. Version 0.3.1 follows the same cache layout, but hashes no
// file, takes a connection that breaks off for a success, begins every download anew, asks the hub which commit a
// revision is on every start, lists files without sizes and digests, waits without a context, follows redirects from
// https to http, and reports status codes where a gated repository or a missing token needs words.
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
	Endpoint string // of the hub or a mirror, without a path's last slash; "" = DefaultEndpoint
	Cache    string // folder of the cache ("…/huggingface/hub"); required
	Token    string // secret; sent to the endpoint's host alone; "" = anonymous
	Offline  bool   // open no connection: only what the cache holds
	Why      string // in errors: why it is offline and what to do; "" = as for HF_HUB_OFFLINE

	Transport http.RoundTripper // nil = one with the usual timeouts
	Progress  func(Progress)    // called during downloads, one call at a time per download; may be nil
	Tries     int               // of a request in a row without a new byte; 0 = 5
	// before the second try, doubling up to 30 s; 0 = 1 s; a server's Retry-After is obeyed up to 5 min
	Wait  time.Duration
	Stall time.Duration // a try ends after this long without a byte; 0 = 1 min
}

// Progress is how far a download is.
type Progress struct {
	Name string // path in the repository
	At   int    // of Of, from 1
	Of   int    // files of this download
	Done int64  // bytes on disk, with those of earlier tries
	Size int64  // bytes of the file
}

// File is a file of the cache.
type File struct {
	Path   string // where it is, in the snapshot of its commit
	Name   string // path in the repository
	Size   int64  // bytes
	Digest string // SHA-256 (64 hexadecimal digits), or for small files git's SHA-1 (40); "" = found offline, unchecked
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

// Unchecked returns how many files have no known digest: found in the cache where nothing says what they should be.
func (d *Download) Unchecked() int {
	n := 0
	for _, f := range d.Files {
		if f.Digest == "" {
			n++
		}
	}
	return n
}

// Paths returns the files' paths in order.
func (d *Download) Paths() []string {
	out := make([]string, len(d.Files))
	for i, f := range d.Files {
		out[i] = f.Path
	}
	return out
}

// FromEnvironment reads the hub's own variables, as its Python library does:
//
//	HF_ENDPOINT                                   the hub or a mirror
//	HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE, HF_HOME  the cache: the first that is set; HF_HOME/hub; else
//	                                              XDG_CACHE_HOME/huggingface/hub or ~/.cache/huggingface/hub
//	HF_TOKEN, HUGGING_FACE_HUB_TOKEN              the token; else the file HF_TOKEN_PATH or HF_HOME/token,
//	                                              unless HF_HUB_DISABLE_IMPLICIT_TOKEN
//	HF_HUB_OFFLINE, TRANSFORMERS_OFFLINE          1, on, yes or true
func FromEnvironment(getenv func(string) string) (Options, error) {
	o := Options{Endpoint: getenv("HF_ENDPOINT"), Offline: yes(getenv("HF_HUB_OFFLINE")) ||
		yes(getenv("TRANSFORMERS_OFFLINE"))}
	user := cmp.Or(getenv("HOME"), getenv("USERPROFILE"))
	home := getenv("HF_HOME")
	if home == "" {
		cache := getenv("XDG_CACHE_HOME")
		if cache == "" && user != "" {
			cache = filepath.Join(user, ".cache")
		}
		if cache != "" {
			home = filepath.Join(cache, "huggingface")
		}
	}
	o.Cache = cmp.Or(getenv("HF_HUB_CACHE"), getenv("HUGGINGFACE_HUB_CACHE"))
	if o.Cache == "" && home != "" {
		o.Cache = filepath.Join(home, "hub")
	}
	if o.Cache == "" {
		return Options{}, fmt.Errorf("there is no place for the hub's cache: set HF_HOME to a folder")
	}
	o.Cache = untilde(o.Cache, user)
	o.Token = strings.TrimSpace(cmp.Or(getenv("HF_TOKEN"), getenv("HUGGING_FACE_HUB_TOKEN")))
	if o.Token == "" && !yes(getenv("HF_HUB_DISABLE_IMPLICIT_TOKEN")) {
		file := getenv("HF_TOKEN_PATH")
		if file == "" && home != "" {
			file = filepath.Join(home, "token")
		}
		switch b, err := regular.ReadFile(untilde(file, user)); {
		case err == nil:
			o.Token = strings.TrimSpace(string(b))
		case errors.Is(err, regular.ErrKind):
			return Options{}, fmt.Errorf("the hub's token (HF_TOKEN_PATH): %w", err)
		default: // no file: anonymous
		}
	}
	return o, nil
}

func yes(s string) bool {
	return slices.Contains([]string{"1", "ON", "YES", "TRUE"}, strings.ToUpper(s))
}

func untilde(p, home string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	return p
}

// Client downloads. It is safe for concurrent use, also by many processes on one cache.
type Client struct {
	o    Options
	base endpoint
	http *http.Client

	secrets *redact.Redactor // taken out of a server's words
}

// New makes a client. It opens no connection.
func New(o Options) (*Client, error) {
	o.Endpoint = cmp.Or(o.Endpoint, DefaultEndpoint)
	base, err := url.Parse(strings.TrimRight(o.Endpoint, "/"))
	switch {
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		return nil, fmt.Errorf("the hub's endpoint is no URL: set HF_ENDPOINT to one such as %s, or unset it",
			DefaultEndpoint)
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, fmt.Errorf("the hub's endpoint at %s: a user, password, query or fragment has no place in "+
			"HF_ENDPOINT; a token goes into HF_TOKEN", base.Host)
	case o.Cache == "":
		return nil, fmt.Errorf("there is no place for the hub's cache: set HF_HOME to a folder")
	case strings.ContainsFunc(o.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, fmt.Errorf("HF_TOKEN holds a character that no token has: copy it again")
	}
	if o.Cache, err = filepath.Abs(o.Cache); err != nil {
		return nil, fmt.Errorf("the hub's cache: %w", err)
	}
	o.Why = cmp.Or(o.Why, "HF_HUB_OFFLINE is set: run once without it")
	o.Tries, o.Wait, o.Stall = cmp.Or(o.Tries, 5), cmp.Or(o.Wait, time.Second), cmp.Or(o.Stall, time.Minute)
	if o.Transport == nil { // the standard one without what would hang for ever
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.ResponseHeaderTimeout = time.Minute
		o.Transport = t
	}
	c := &Client{o: o, base: endpoint{base}, secrets: redact.New(o.Token)}
	c.http = &http.Client{Transport: o.Transport, CheckRedirect: c.redirect}
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
	if err := r.Check(); err != nil {
		return nil, err
	}
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
		f, err := c.fetch(ctx, s, commit, e, i+1, len(l.Files))
		if errors.As(err, new(*GatedError)) || errors.As(err, new(*OfflineError)) {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r, err)
		}
		d.Files = append(d.Files, f)
		if enough == nil || i == len(l.Files)-1 {
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

// Ref is a reference. References have a package of their own, which knows no network.
type Ref = ref.Ref

// They are read by its functions.
var (
	ParseDataset = ref.ParseDataset
	ParseModel   = ref.ParseModel
)

var commitSHA = regexp.MustCompile(`^[0-9a-f]{40}$`)
