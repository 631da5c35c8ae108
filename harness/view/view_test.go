package view

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/harness/compare"
	"infnet/harness/result"
)

// put writes a run of two records.
func put(t *testing.T, dir string) {
	t.Helper()
	r := &result.Results{Version: result.Version, Name: "tiny <b>", Level: 0.95, Cascades: []result.Cascade{{
		Name: "s+m", Models: []string{"s", "m"}, Unit: "EUR", CostModel: "fixed", Setting: "non-oracle", Target: "master",
		Datasets: []result.Dataset{{Name: "d", Task: "classification", Rule: "label", Labels: []string{"yes", "no"},
			Counts: result.Counts{Records: 2, Used: 2, Fit: 1, Test: 1}}},
	}}}
	encoded, err := result.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	var lines []byte
	for n, prompt := range []string{"Is it BLUE?", "Is it \u2028 red?"} {
		line := result.Record{Cascade: "s+m", Dataset: "d", ID: []string{"a", "b"}[n], Row: n + 1, Prompt: prompt,
			Part: []string{result.PartFit, result.PartTest}[n], Class: "yes", Models: []result.RecordAnswer{
				{Model: "s", Text: "yes", Class: "yes", Beta: 0.25, Correct: true, Cost: 1},
				{Model: "m", Text: "no", Class: "no", Beta: 0.5, Error: 1, Cost: 10}}}
		if lines, err = line.AppendLine(lines); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, result.ResultsFile), encoded)
	write(t, filepath.Join(dir, result.RecordsFile), lines)
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// site opens a folder and answers requests to it.
func site(t *testing.T, dir string) (*Site, func(method, path string, head ...string) (int, string, http.Header)) {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	h := s.Handler("word", "once")
	return s, func(method, path string, head ...string) (int, string, http.Header) {
		t.Helper()
		r := httptest.NewRequest(method, "http://127.0.0.1:8123"+path, nil)
		for k := 0; k+1 < len(head); k += 2 {
			if head[k] == "Host" {
				r.Host = head[k+1]
			}
			r.Header.Set(head[k], head[k+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String(), w.Header()
	}
}

// Whoever does not come from this machine's own page, or has no address, gets nothing.
func TestWhoIsLetIn(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "run"))
	_, ask := site(t, dir)
	for _, tt := range []struct {
		name, method, path string
		head               []string
		want               int
	}{
		{name: "the list", path: "/word/", want: 200},
		{name: "a run", path: "/word/run/run/", want: 200},
		{name: "by localhost", path: "/word/", head: []string{"Host", "localhost:8123"}, want: 200},
		{name: "only the head", method: "HEAD", path: "/word/", want: 200},
		{name: "a followed link", path: "/word/", want: 200,
			head: []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}},
		{name: "the page's own script", path: "/word/run/run/records/0/columns",
			head: []string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors"}, want: 200},
		{name: "a name that leads here", path: "/word/", head: []string{"Host", "evil.example:8123"}, want: 403},
		{name: "a name that begins like ours", path: "/word/", head: []string{"Host", "127.0.0.1.evil.example"}, want: 403},
		{name: "another site's script", path: "/word/run/run/records/0/columns",
			head: []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, want: 403},
		{name: "another port's script", path: "/word/run/run/records/0/columns",
			head: []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors"}, want: 403},
		{name: "a change", method: "POST", path: "/word/", want: 405},
		{name: "a deletion", method: "DELETE", path: "/word/run/run/", want: 405},
		{name: "no word", path: "/", want: 404},
		{name: "another word", path: "/wore/", want: 404},
		{name: "another word and a run", path: "/wore/run/run/", want: 404},
		{name: "no such run", path: "/word/run/other/", want: 404},
		{name: "the folder above", path: "/word/run/../", want: 307},
		{name: "the folder above, escaped", path: "/word/run/..%2f/", want: 404},
		{name: "a file by its name", path: "/word/run/run/results.json", want: 404},
		{name: "no such table", path: "/word/run/run/records/1/columns", want: 404},
		{name: "a table below the first", path: "/word/run/run/records/-1/columns", want: 404},
		{name: "a table that is no number", path: "/word/run/run/records/x/columns", want: 404},
		{name: "no such record", path: "/word/run/run/records/0/record/2", want: 404},
		{name: "a record below the first", path: "/word/run/run/records/0/record/-1", want: 404},
		{name: "a huge number", path: "/word/run/run/records/0/record/99999999999999999999", want: 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			method := tt.method
			if method == "" {
				method = http.MethodGet
			}
			status, body, head := ask(method, tt.path, tt.head...)
			if status != tt.want {
				t.Errorf("%s %s: %d, want %d: %s", method, tt.path, status, tt.want, body)
			}
			for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy"} {
				if head.Get(name) == "" {
					t.Errorf("no header %s", name)
				}
			}
			if strings.Contains(body, "word") && status >= 400 {
				t.Errorf("the answer holds the word: %s", body)
			}
		})
	}
}

// The started browser's address opens one time.
func TestOnce(t *testing.T) {
	dir := t.TempDir()
	put(t, dir)
	_, ask := site(t, dir)
	if status, _, head := ask("GET", "/open/once"); status != http.StatusSeeOther || head.Get("Location") != "/word/" {
		t.Errorf("first: %d to %q", status, head.Get("Location"))
	}
	if status, _, _ := ask("GET", "/open/once"); status != http.StatusNotFound {
		t.Errorf("second: %d", status)
	}
}

// What is asked of a run's records is what its file holds.
func TestRecordsAreServed(t *testing.T) {
	dir := t.TempDir()
	put(t, dir)
	s, ask := site(t, dir)
	run, err := s.find(context.Background(), s.single)
	if err != nil {
		t.Fatal(err)
	}
	base := "/word/run/" + s.single + "/records/0/"
	_, columns, _ := ask("GET", base+"columns")
	want, err := run.index.Tables[0].Columns()
	if err != nil || columns != string(want) || len(columns) == 0 {
		t.Errorf("columns: %d bytes, want the table's %d", len(columns), len(want))
	}
	var d struct{ Heading, Prompt string }
	_, text, _ := ask("GET", base+"record/1")
	if err := json.Unmarshal([]byte(text), &d); err != nil || d.Prompt != "Is it \u2028 red?" ||
		d.Heading != "d/b · row 2 · test part · cascade s+m" {
		t.Errorf("record: %s (%v)", text, err)
	}
	for _, tt := range []struct {
		text string
		want byte // a bit per record, the first the lowest
	}{{"blue", 1}, {"BLUE", 1}, {"is%20it", 3}, {"\u2028", 2}, {"absent", 0}, {"yes", 3}, {"%26", 0}} {
		if _, found, _ := ask("GET", base+"search?text="+tt.text); found != string([]byte{tt.want}) {
			t.Errorf("search %q: %x, want %x", tt.text, found, tt.want)
		}
	}
}

// Links that lead out of the folder are no runs, and files that are links out of it are not read.
func TestNothingOutsideTheFolder(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	put(t, filepath.Join(outside, "secret"))
	put(t, filepath.Join(dir, "good"))
	put(t, filepath.Join(dir, "half"))
	if err := os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "link")); err != nil {
		t.Skip("no links here: ", err)
	}
	records := filepath.Join(dir, "half", result.RecordsFile)
	if err := os.Remove(records); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "secret", result.RecordsFile), records); err != nil {
		t.Fatal(err)
	}
	s, ask := site(t, dir)
	names, err := s.Names()
	if err != nil || !slices.Equal(names, []string{"good", "half"}) {
		t.Errorf("runs: %q, %v", names, err)
	}
	if status, _, _ := ask("GET", "/word/run/link/"); status != 404 {
		t.Errorf("a link: %d", status)
	}
	if status, body, _ := ask("GET", "/word/run/half/"); status != 500 || !strings.Contains(body, "escapes") {
		t.Errorf("records outside: %d %s", status, body)
	}
	_, list, _ := ask("GET", "/word/")
	if !strings.Contains(list, "tiny &lt;b&gt;") || !strings.Contains(list, "escapes") {
		t.Errorf("list: %s", list)
	}
}

// A run that is written again is read again.
func TestRunChanges(t *testing.T) {
	dir := t.TempDir()
	put(t, dir)
	s, ask := site(t, dir)
	path := "/word/run/" + s.single + "/"
	_, before, _ := ask("GET", path)
	results, err := os.ReadFile(filepath.Join(dir, result.ResultsFile))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, result.ResultsFile), []byte(strings.Replace(string(results), "tiny", "quokka", 1)))
	_, after, _ := ask("GET", path)
	if !strings.Contains(before, "tiny") || strings.Contains(before, "quokka") || !strings.Contains(after, "quokka") {
		t.Errorf("the page does not follow its run")
	}
	write(t, filepath.Join(dir, result.RecordsFile), []byte("{\n"))
	if status, body, _ := ask("GET", path); status != 500 || !strings.Contains(body, "line 1") {
		t.Errorf("a damaged file: %d %s", status, body)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is no run and holds none") {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("no folder: no error")
	}
}

// The server listens on loopback alone and ends with its context.
func TestServeEnds(t *testing.T) {
	dir := t.TempDir()
	put(t, dir)
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	err = Serve(ctx, s, 0, func(at Address) {
		go func() {
			defer cancel()
			reply, err := http.Get(at.URL)
			if err != nil {
				t.Error(err)
				return
			}
			defer reply.Body.Close()
			body, _ := io.ReadAll(reply.Body)
			if !strings.HasPrefix(at.URL, "http://127.0.0.1:") || !strings.Contains(string(body), "tiny") {
				t.Errorf("%s: %.80s", at.URL, body)
			}
		}()
	})
	if err != nil {
		t.Errorf("Serve = %v", err)
	}
}

// The list says what came out and counts a record once; two runs are compared, with the records that moved.
func TestTwoRuns(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a"))
	put(t, filepath.Join(dir, "b"))
	_, ask := site(t, dir)
	_, list, _ := ask("GET", "/word/")
	for _, want := range []string{"no result", `name="old" value="a"`, `name="new" value="b"`, `<td class="number">2</td>`} {
		if !strings.Contains(list, want) {
			t.Errorf("the list lacks %q:\n%s", want, list)
		}
	}
	status, page, head := ask("GET", "/word/runs/compare?old=a&new=b")
	if status != 200 || !strings.Contains(page, "<bdi>a</bdi> and <bdi>b</bdi>") || !strings.Contains(page, "same: ") ||
		!strings.Contains(head.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%d: %s", status, page)
	}
	for _, bad := range []string{"old=a&new=c", "old=..&new=a", "new=a"} {
		if status, _, _ := ask("GET", "/word/runs/compare?"+bad); status != 404 {
			t.Errorf("%s: %d", bad, status)
		}
	}
	got := moved(&compare.Comparison{Moved: []compare.Moved{{Cascade: "s+m", Dataset: "d", ID: "a", Part: "test",
		Policy: "single"}}}, "run b")
	want := "../run/run%20b/#records=%7B%22cascade%22:%22s+m%22%2C%22dataset%22:%22d%22%2C%22part%22:%22test%22%2C" +
		"%22policy%22:%22single%22%7D"
	if got[0].Link != want {
		t.Errorf("the record is shown at %s, want %s", got[0].Link, want)
	}
}
