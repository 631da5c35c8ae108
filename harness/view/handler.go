package view

import (
	"context"
	"crypto/subtle"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"infnet/harness/result"
	"infnet/reports"
	"infnet/reports/page/drill"
)

// door is what is asked of whoever comes in.
type door struct {
	word  string      // begins every path
	once  string      // opens the door one time, for the browser that is started
	spent atomic.Bool // it did
	busy  chan struct{}
}

// searches is the number of searches at a time: each reads all texts of a table.
const searches = 2

// Handler answers requests whose path begins with a word that the address holds. What is wrong about a request decides
// the answer: 403 where it does not come from this machine's own page, 405 where it would change something, and 404,
// without a reason, where the word or the name is wrong.
func (s *Site) Handler(word, once string) http.Handler {
	d := &door{word: word, once: once, busy: make(chan struct{}, searches)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /open/{once}", d.open)
	for path, answer := range map[string]answer{"{$}": s.list, "runs/compare": d.oneOfFew(s.compare),
		"run/{name}/{$}": s.page, "run/{name}/records/{table}/columns": s.columns,
		"run/{name}/records/{table}/record/{record}": s.record,
		"run/{name}/records/{table}/search":          d.oneOfFew(s.search)} {
		mux.HandleFunc("GET /{word}/"+path, d.known(answer))
	}
	return guarded(mux)
}

// guarded lets in what a browser on this machine asks of this server's own pages.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", "frame-ancestors 'none'")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer") // a link must not carry the word to where it leads
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Cache-Control", "no-store")
		site, mode := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Sec-Fetch-Mode")
		switch {
		case !ownHost(r.Host): // a name of somebody else's that leads here
			refuse(w, http.StatusForbidden, "this server answers to 127.0.0.1 and localhost alone")
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			head.Set("Allow", "GET, HEAD")
			refuse(w, http.StatusMethodNotAllowed, "nothing can be changed here")
		case site != "" && site != "same-origin" && site != "none" && mode != "navigate":
			refuse(w, http.StatusForbidden, "another site's page asks for this")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// ownHost reports whether a request names this machine as a person would who sits at it.
func ownHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	return name == "127.0.0.1" || name == "localhost"
}

func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	http.Error(w, why, status)
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// answer answers a request. It has written nothing where it returns an error.
type answer func(w http.ResponseWriter, r *http.Request) error

// known answers where the word is right, and says what is wrong with a run to the person who owns it.
func (d *door) known(next answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := errNoRun
		if same(r.PathValue("word"), d.word) {
			err = next(w, r)
		}
		switch {
		case err == nil, errors.Is(err, context.Canceled):
		case errors.Is(err, errNoRun):
			refuse(w, http.StatusNotFound, "404 page not found")
		default:
			refuse(w, http.StatusInternalServerError, err.Error())
		}
	}
}

// oneOfFew lets few requests be answered at a time.
func (d *door) oneOfFew(next answer) answer {
	return func(w http.ResponseWriter, r *http.Request) error {
		select {
		case d.busy <- struct{}{}:
			defer func() { <-d.busy }()
			return next(w, r)
		case <-r.Context().Done():
			return context.Canceled
		}
	}
}

// send answers with bytes of a type; whoever asked may have left.
func send(w http.ResponseWriter, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(body)
}

// sendPage answers with a page without scripts, whose style is its own.
func sendPage(w http.ResponseWriter, page *template.Template, about any) {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "+
		"form-action 'self'; frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = page.Execute(w, about) // who asked may have left
}

// open leads the browser that was started to the site, one time: its command line can be read by others.
func (d *door) open(w http.ResponseWriter, r *http.Request) {
	if d.once == "" || !same(r.PathValue("once"), d.once) || d.spent.Swap(true) {
		refuse(w, http.StatusNotFound, "404 page not found")
		return
	}
	http.Redirect(w, r, "/"+d.word+"/", http.StatusSeeOther)
}

//go:embed list.html
var listText string

var listPage = template.Must(template.New("list").Parse(listText))

// listed is a run in the list.
type listed struct {
	Name, Study, Date, Verdicts, Path, Problem string
	Models, Records                            int
}

func (s *Site) list(w http.ResponseWriter, r *http.Request) error {
	if s.single != "" {
		http.Redirect(w, r, "run/"+url.PathEscape(s.single)+"/", http.StatusSeeOther)
		return nil
	}
	names, err := s.Names()
	if err != nil {
		return err
	}
	runs := make([]listed, len(names))
	for i, name := range names {
		runs[i] = s.describe(name)
	}
	sendPage(w, listPage, map[string]any{"Dir": s.dir, "Runs": runs})
	return nil
}

// describe says of a run what its results say, or what is wrong with them.
func (s *Site) describe(name string) listed {
	run := listed{Name: name, Path: "run/" + url.PathEscape(name) + "/"}
	results, err := s.results(name)
	if err == nil {
		_, err = s.stamp(name)
	}
	if err != nil {
		run.Problem = err.Error()
		return run
	}
	if info, err := regular(s.root, s.path(name, result.ResultsFile)); err == nil {
		run.Date = info.ModTime().Format("2006-01-02 15:04")
	}
	run.Study, run.Models, run.Verdicts = results.Name, len(results.Models), verdicts(results)
	seen := map[string]bool{} // a record is one, however many cascades answer it
	for _, c := range results.Cascades {
		for _, d := range c.Datasets {
			if !seen[d.Name] {
				seen[d.Name] = true
				run.Records += d.Counts.Records
			}
		}
	}
	return run
}

// verdicts says how often each verdict is, the most frequent first.
func verdicts(r *result.Results) string {
	var order []string
	count := map[string]int{}
	for _, h := range reports.Headlines(r) {
		if count[h.Verdict.Word()]++; count[h.Verdict.Word()] == 1 {
			order = append(order, h.Verdict.Word())
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return count[b] - count[a] })
	for i, word := range order {
		if len(order) > 1 || count[word] > 1 {
			order[i] = fmt.Sprintf("%d %s", count[word], word)
		}
	}
	return strings.Join(order, ", ")
}

func (s *Site) page(w http.ResponseWriter, r *http.Request) error {
	run, err := s.find(r.Context(), r.PathValue("name"))
	if err == nil {
		send(w, "text/html; charset=utf-8", run.page)
	}
	return err
}

// table returns the table of a request, by its place.
func (s *Site) table(r *http.Request) (*drill.Index, *drill.Table, error) {
	run, err := s.find(r.Context(), r.PathValue("name"))
	if err != nil {
		return nil, nil, err
	}
	k, err := strconv.Atoi(r.PathValue("table"))
	if err != nil || k < 0 || k >= len(run.index.Tables) {
		return nil, nil, errNoRun
	}
	return run.index, run.index.Tables[k], nil
}

// columns answers with all columns of a table.
func (s *Site) columns(w http.ResponseWriter, r *http.Request) error {
	_, t, err := s.table(r)
	if err != nil {
		return err
	}
	plain, err := t.Columns()
	if err == nil {
		send(w, "application/json", plain)
	}
	return err
}

// record answers with one record in words.
func (s *Site) record(w http.ResponseWriter, r *http.Request) error {
	index, t, err := s.table(r)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(r.PathValue("record"))
	if err != nil || n < 0 || n >= t.Len() {
		return errNoRun
	}
	d, err := index.Detail(t, n)
	if err != nil {
		return err
	}
	body, err := json.Marshal(d)
	if err == nil {
		send(w, "application/json", append(body, '\n'))
	}
	return err
}

// search answers with a bit per record.
func (s *Site) search(w http.ResponseWriter, r *http.Request) error {
	index, t, err := s.table(r)
	if err != nil {
		return err
	}
	found, err := index.Search(r.Context(), t, r.URL.Query().Get("text"))
	if err == nil {
		send(w, "application/octet-stream", found)
	}
	return err
}
