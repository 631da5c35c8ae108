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

// GatedError says that a repository cannot be read without rights. Callers branch on it to show the page.
type GatedError struct {
	Ref     Ref
	Page    string // where the conditions can be accepted
	Token   bool   // a token was sent
	Missing bool   // the hub does not say whether it exists at all
}

func (e *GatedError) Error() string {
	if e.Missing {
		s := fmt.Sprintf("%s: the hub has no %s %s that it would show", e.Ref, e.Ref.Kind, e.Ref.Repo)
		if !strings.Contains(e.Ref.Repo, "/") || e.Ref.Kind == ref.Dataset && e.Ref.Config == "" {
			s += ": a name is owner/name"
		}
		return s + "; " + e.Fix()
	}
	if e.Token {
		return fmt.Sprintf("%s is gated, and the account of your HF_TOKEN has no access: %s", e.Ref, e.Fix())
	}
	return fmt.Sprintf("%s is gated: %s", e.Ref, e.Fix())
}

// Fix says what to do alone.
func (e *GatedError) Fix() string {
	switch {
	case e.Missing && e.Token:
		return "if it is private, the account of your HF_TOKEN may not read it"
	case e.Missing:
		return "if it is private, set HF_TOKEN to a token that may read it"
	case e.Token:
		return fmt.Sprintf("open %s in a browser, signed in as that account, accept the conditions, and wait until "+
			"access is "+
			"granted; a fine-grained token also needs the right to read gated repositories", e.Page)
	}
	return fmt.Sprintf("open %s in a browser, sign in, accept the conditions, and set HF_TOKEN to a token of that account",
		e.Page)
}

// statusError is a response that is not what was asked for.
type statusError struct {
	status  int
	code    string // the hub's X-Error-Code
	text    string
	after   time.Duration
	foreign bool // from a server that the hub redirected to
}

func (e *statusError) Error() string {
	who := "the hub"
	if e.foreign {
		who = "the server that stores the hub's large files"
	}
	s := fmt.Sprintf("%s answers HTTP %d", who, e.status)
	if e.text != "" {
		s += ": " + e.text
	}
	return s
}

// answered is the response that err is about; without a status where there was none.
func answered(err error) (e statusError) {
	var is *statusError
	if errors.As(err, &is) {
		e = *is
	}
	return e
}

// temporary reports whether a request may succeed the next time.
func temporary(err error) bool {
	switch e := answered(err); e.status {
	case 0:
		return !errors.As(err, new(*permanent))
	case http.StatusForbidden:
		return e.foreign // a signed address that expired: the hub signs another
	default:
		return e.status == http.StatusTooManyRequests || e.status == http.StatusRequestTimeout || e.status >= 500
	}
}

// permanent is an error that another try does not mend.
type permanent struct{ error }

func (p *permanent) Unwrap() error { return p.error }

// endpoint is the address of the hub.
type endpoint struct{ *url.URL }

// api is the address of an API call; path elements are escaped by the caller.
func (e endpoint) api(r Ref, rest string) string {
	return e.String() + "/api/" + string(r.Kind) + "s/" + r.Repo + rest
}

// page is the repository's page for people.
func (e endpoint) page(r Ref) string {
	if r.Kind == ref.Dataset {
		return e.String() + "/datasets/" + r.Repo
	}
	return e.String() + "/" + r.Repo
}

// file is the address of a file at a commit.
func (e endpoint) file(r Ref, commit, name string) string {
	return e.page(r) + "/resolve/" + commit + "/" + escape(name)
}

// own reports whether u is on the hub's host, port and scheme included.
func (e endpoint) own(u *url.URL) bool { return u.Host == e.Host && u.Scheme == e.Scheme }

// escape escapes each element of a path.
func escape(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}

// maxRedirects is how many redirects a request may take.
const maxRedirects = 10

// redirect follows redirects (renamed repositories; the servers that store large files) and removes the token from
// every request to another host than the hub's.
func (c *Client) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return &permanent{errors.New("the hub redirects in a circle")}
	}
	if c.base.Scheme == "https" && req.URL.Scheme != "https" {
		return &permanent{fmt.Errorf("the hub redirects to %s without encryption", req.URL.Host)}
	}
	if !c.base.own(req.URL) {
		req.Header.Del("Authorization")
		req.Header.Del("Referer")
	}
	return nil
}

// get asks once. The caller closes the body of a response without error; from is the first byte wanted.
func (c *Client) get(ctx context.Context, address string, from int64) (*http.Response, error) {
	if c.o.Offline {
		return nil, &permanent{errors.New("offline (HF_HUB_OFFLINE)")}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, &permanent{err}
	}
	if !c.base.own(req.URL) {
		return nil, &permanent{fmt.Errorf("the hub refers to %s, which is not the hub", req.URL.Host)}
	}
	req.Header.Set("User-Agent", "infnet")
	if c.o.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.o.Token)
	}
	if from >= 0 {
		req.Header.Set("Accept-Encoding", "identity") // digests are of the bytes themselves
	}
	if from > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unsent(err)
	}
	if resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusPartialContent {
		return resp, nil
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, httpfailure.LongestError)) // else there is no text
	f := httpfailure.Status(resp.StatusCode, resp.Header, body, time.Now())
	e := &statusError{status: resp.StatusCode, code: resp.Header.Get("X-Error-Code"),
		after: min(f.RetryAfter, longestWait), foreign: !c.base.own(resp.Request.URL)}
	if e.text = httpfailure.Clean(resp.Header.Get("X-Error-Message")); e.text == "" && !e.foreign {
		e.text = f.Message // of another server it may hold what its address is signed with
	}
	e.text = c.secrets.Text(e.text)
	return nil, e
}

// unsent says that a request got no response, without the address, which may be a signed one.
func (c *Client) unsent(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if said := c.secrets.Text(err.Error()); said != err.Error() {
		err = errors.New(said)
	}
	return fmt.Errorf("%s: %w", c.base.Host, err)
}

// longestWait is the longest that a server's Retry-After is obeyed.
const longestWait = 5 * time.Minute

// again tries f until it succeeds, fails for good, or fails Tries times in a row without progress (what f returns).
func (c *Client) again(ctx context.Context, f func() (progress bool, err error)) error {
	wait := c.o.Wait
	for try := 1; ; try++ {
		progress, err := f()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if progress {
			try, wait = 1, c.o.Wait
		}
		if !temporary(err) || c.o.Tries == 1 {
			return err
		}
		if try >= c.o.Tries {
			return fmt.Errorf("%w (after %d tries; what has come so far is kept, and HF_HUB_OFFLINE=1 uses what the "+
				"cache holds)", err, try)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(cmp.Or(answered(err).after, wait)):
		}
		wait = min(2*wait, 30*time.Second)
	}
}

// maxPage is the most bytes of one JSON response.
const maxPage = 64 << 20

// json asks for JSON and returns the address of the next page, if any.
func (c *Client) json(ctx context.Context, address string, v any) (next string, err error) {
	err = c.again(ctx, func() (bool, error) {
		ctx, cancel := context.WithTimeout(ctx, c.o.Stall)
		defer cancel()
		resp, err := c.get(ctx, address, -1)
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxPage+1))
		if err != nil {
			return false, c.unsent(err)
		}
		if len(body) > maxPage {
			return false, &permanent{fmt.Errorf("%s answers with more than %d bytes", c.base.Host, maxPage)}
		}
		if err := json.Unmarshal(body, v); err != nil {
			return false, fmt.Errorf("%s answers with something else than JSON (%w): is HF_ENDPOINT the hub?", c.base.Host, err)
		}
		next = nextPage(resp)
		return false, nil
	})
	return next, err
}

// nextPage reads the header Link: <address>; rel="next".
func nextPage(resp *http.Response) string {
	for _, link := range strings.Split(resp.Header.Get("Link"), ",") {
		address, rel, ok := strings.Cut(link, ";")
		address = strings.TrimSpace(address)
		if !ok || !strings.Contains(rel, `rel="next"`) || !strings.HasPrefix(address, "<") ||
			!strings.HasSuffix(address, ">") {
			continue
		}
		u, err := resp.Request.URL.Parse(address[1 : len(address)-1])
		if err != nil {
			return ""
		}
		return u.String()
	}
	return ""
}

// explain makes an error of the hub about a reference one for people.
func (c *Client) explain(r Ref, err error) error {
	if errors.As(err, new(*GatedError)) {
		return err
	}
	switch e := answered(err); {
	case e.status == http.StatusUnauthorized && strings.Contains(e.text, "Invalid credentials"):
		return fmt.Errorf("%s: the hub does not know the token: set HF_TOKEN to a valid one, or unset it: %w", r, err)
	case e.code == "RevisionNotFound":
		if r.Revision == "" && r.Kind == ref.Dataset {
			return fmt.Errorf("%s: the hub has no Parquet export of this dataset: name a revision whose own files are "+
				"Parquet (such as @main), or download the dataset and name its file as file:PATH", r)
		}
		return fmt.Errorf("%s: there is no revision %q; the hub rewrites the branch %s now and then, so pin a commit of "+
			"main where its own files are Parquet: %w", r, r.At(), ref.ParquetExport, fs.ErrNotExist)
	case e.code == "GatedRepo", e.status == http.StatusForbidden:
		return &GatedError{Ref: r, Page: c.base.page(r), Token: c.o.Token != ""}
	case e.code == "RepoNotFound", e.status == http.StatusUnauthorized:
		return &GatedError{Ref: r, Page: c.base.page(r), Token: c.o.Token != "", Missing: true}
	}
	return fmt.Errorf("%s: %w", r, err)
}
