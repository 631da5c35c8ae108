package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"time"

	"infnet/backends/httpfailure"
	"infnet/harness/dataset/hub/ref"
)

// GatedError says that a repository cannot be read without rights. Callers branch on it to show what to do.
type GatedError struct {
	Ref     Ref
	Page    string // where the conditions can be accepted
	Missing bool   // the hub does not say whether it exists at all
}

func (e *GatedError) Error() string {
	if e.Missing {
		return fmt.Sprintf("%s: the hub has no %s %s that it would show; %s", e.Ref, e.Ref.Kind, e.Ref.Repo, e.Fix())
	}
	return fmt.Sprintf("%s is gated: %s", e.Ref, e.Fix())
}

// Fix says what to do alone.
func (e *GatedError) Fix() string {
	if e.Missing {
		return "correct the name (owner/name), or set HF_TOKEN to a token that may read it"
	}
	return fmt.Sprintf("open %s in a browser, accept the conditions, and set HF_TOKEN to a token of the account that "+
		"has access", e.Page)
}

// statusError is a response that is not what was asked for.
type statusError struct {
	status int
	code   string // the hub's X-Error-Code
	text   string
	after  time.Duration
}

func (e *statusError) Error() string {
	return fmt.Sprintf("the hub answers HTTP %d: %s", e.status, e.text)
}

// answered is the response that err is about; without a status where there was none.
func answered(err error) (e statusError) {
	var is *statusError
	if errors.As(err, &is) {
		e = *is
	}
	return e
}

// permanent is an error that another try does not mend.
type permanent struct{ error }

func (p *permanent) Unwrap() error { return p.error }

// api is the address of an API call; path elements are escaped by the caller.
func (c *Client) api(r Ref, rest string) string {
	return c.base.String() + "/api/" + string(r.Kind) + "s/" + r.Repo + rest
}

// page is the repository's page for people.
func (c *Client) page(r Ref) string {
	if r.Kind == ref.Dataset {
		return c.base.String() + "/datasets/" + r.Repo
	}
	return c.base.String() + "/" + r.Repo
}

// file is the address of a file at a commit.
func (c *Client) file(r Ref, commit, name string) string {
	return c.page(r) + "/resolve/" + commit + "/" + (&url.URL{Path: name}).EscapedPath()
}

// own reports whether u is on the hub's host, port and scheme included.
func (c *Client) own(u *url.URL) bool { return u.Host == c.base.Host && u.Scheme == c.base.Scheme }

// redirect follows redirects (renamed repositories; the servers that store large files) and removes the token from
// every request to another host than the hub's.
func (c *Client) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > 10 {
		return &permanent{errors.New("the hub redirects in a circle")}
	}
	if c.base.Scheme == "https" && req.URL.Scheme != "https" {
		return &permanent{fmt.Errorf("the hub redirects to %s without encryption", req.URL.Host)}
	}
	if !c.own(req.URL) {
		req.Header.Del("Authorization")
		req.Header.Del("Referer")
	}
	return nil
}

// errStalled ends a try whose bytes stopped coming.
var errStalled = errors.New("no byte came for too long")

// get tries an address until read takes its response, or fails for good.
func (c *Client) get(ctx context.Context, address string, read func(*http.Response) error) error {
	wait := c.o.Wait
	for try := 1; ; try++ {
		err := c.once(ctx, address, read)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		status := answered(err).status
		temporary := status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500 ||
			status == 0 && !errors.As(err, new(*permanent))
		if !temporary || try >= c.o.Tries {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(cmp.Or(answered(err).after, wait)):
		}
		wait = min(2*wait, 30*time.Second)
	}
}

// once asks once.
func (c *Client) once(ctx context.Context, address string, read func(*http.Response) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(c.o.Stall, func() { cancel(errStalled) })
	defer timer.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return &permanent{err}
	}
	if !c.own(req.URL) {
		return &permanent{fmt.Errorf("the hub refers to %s, which is not the hub", req.URL.Host)}
	}
	req.Header.Set("User-Agent", "infnet")
	req.Header.Set("Accept-Encoding", "identity") // digests are of the bytes themselves
	if c.o.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.o.Token)
	}
	resp, err := c.http.Do(req)
	if err == nil {
		defer resp.Body.Close()
		resp.Body = alive{resp.Body, func() { timer.Reset(c.o.Stall) }}
		if resp.StatusCode != http.StatusOK {
			return c.refused(resp)
		}
		err = read(resp)
	}
	var u *url.Error
	switch {
	case errors.Is(context.Cause(ctx), errStalled):
		return fmt.Errorf("%s: %w", c.base.Host, errStalled)
	case errors.As(err, &u): // without the address, which may be a signed one
		return fmt.Errorf("%s: %w", c.base.Host, u.Err)
	}
	return err
}

// alive tells of every byte that comes.
type alive struct {
	io.ReadCloser
	came func()
}

func (a alive) Read(b []byte) (int, error) {
	defer a.came()
	return a.ReadCloser.Read(b)
}

// refused is what a response says that is not the thing asked for.
func (c *Client) refused(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, httpfailure.LongestError)) // else there is no text
	f := httpfailure.Status(resp.StatusCode, resp.Header, body, time.Now())
	e := &statusError{status: resp.StatusCode, code: resp.Header.Get("X-Error-Code"),
		after: min(f.RetryAfter, 5*time.Minute)}
	if e.text = httpfailure.Clean(resp.Header.Get("X-Error-Message")); e.text == "" {
		e.text = f.Message
	}
	if e.text = c.secrets.Text(e.text); !c.own(resp.Request.URL) { // it may hold what its address is signed with
		e.code, e.text = "foreign", "from the server of large files"
	}
	return e
}

// json asks for JSON and returns the address of the next page, if any.
func (c *Client) json(ctx context.Context, address string, v any) (next string, err error) {
	const most = 64 << 20
	err = c.get(ctx, address, func(resp *http.Response) error {
		if err := json.NewDecoder(io.LimitReader(resp.Body, most)).Decode(v); err != nil {
			return fmt.Errorf("%s answers with something else than JSON (%w): is HF_ENDPOINT the hub?", c.base.Host, err)
		}
		next = ""
		if link, ok := strings.CutSuffix(resp.Header.Get("Link"), `>; rel="next"`); ok {
			next = strings.TrimPrefix(link, "<")
		}
		return nil
	})
	return next, err
}

// tree lists the files of a repository at a commit, page by page.
func (c *Client) tree(ctx context.Context, r Ref, commit string) ([]entry, error) {
	const most = 200_000
	var out []entry
	for address := c.api(r, "/tree/"+commit+"?recursive=true&expand=false"); address != ""; {
		if len(out) > most {
			return nil, fmt.Errorf("the listing of %s has more than %d files: is HF_ENDPOINT the hub?", r, most)
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
		if len(page) == 0 {
			break
		}
		address = next
	}
	return out, nil
}

// explain makes an error of the hub about a reference one for people.
func (c *Client) explain(r Ref, err error) error {
	switch e := answered(err); {
	case e.code == "RevisionNotFound" && r.Revision == "" && r.Kind == ref.Dataset:
		return fmt.Errorf("%s: the hub has no Parquet export of this dataset: name a revision whose own files are "+
			"Parquet (such as @main), or download the dataset and name its file as file:PATH", r)
	case e.code == "RevisionNotFound":
		return fmt.Errorf("%s: there is no revision %q: pin a commit of main: %w", r, r.At(), fs.ErrNotExist)
	case e.code == "foreign":
	case e.code == "GatedRepo", e.status == http.StatusForbidden:
		return &GatedError{Ref: r, Page: c.page(r)}
	case e.code == "RepoNotFound", e.status == http.StatusUnauthorized:
		return &GatedError{Ref: r, Page: c.page(r), Missing: true}
	}
	return fmt.Errorf("%s: %w", r, err)
}
