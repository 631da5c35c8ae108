package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"infnet/harness/pipeline"
)

// hostile is what a name or a text may hold to move a cursor, clear a screen,
// ring a bell, begin a C1 sequence or turn the direction of writing.
const hostile = "a\x1b[2J\x1b]0;t\x07\u009b31m\u202eb\u2066\u200f\u2028c"

// escapedTOML writes a text as a TOML basic string.
func escapedTOML(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '"' || r == '\\' || hidden(r) {
			fmt.Fprintf(&b, `\u%04X`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// shows fails where a stream holds what a terminal obeys.
func shows(t *testing.T, what, stream string) {
	t.Helper()
	for i, r := range stream {
		if hidden(r) || r == 0xFFFD && !strings.HasPrefix(stream[i:], "\uFFFD") {
			t.Errorf("%s: byte %d is %q in %q", what, i, r, stream[max(0, i-60):min(len(stream), i+20)])
			return
		}
	}
}

// hostileStudy has the hostile text in one place, or in all that its data fill.
type hostileStudy struct {
	model, dataset, cascade, column, class, word, id, text, file, study string
}

func (h hostileStudy) write(t *testing.T) {
	t.Helper()
	var rows bytes.Buffer
	w := csv.NewWriter(&rows)
	_ = w.Write([]string{"key", h.column, "class", "said"})
	for i := range 80 {
		class, word := "red", "red"
		if i*i%7%2 == 0 {
			class, word = h.class, h.word
		}
		_ = w.Write([]string{h.id + strconv.Itoa(i), h.text + strconv.Itoa(i), class, word})
	}
	w.Flush()
	spec := fmt.Sprintf(`study = %s
seed  = 7
[[models]]
name       = %s
backend    = "simulated"
simulated  = { alpha = 2, beta = 1, intercept = 0.6, slope = -0.58 }
fixed_cost = 1
[[models]]
name       = "large"
backend    = "simulated"
simulated  = { alpha = 5, beta = 1, intercept = 0.08 }
fixed_cost = 10
[[datasets]]
name   = %s
source = %s
task   = "classification"
id     = "key"
label  = "class"
labels = [{ class = "red", word = "red" }, { class = %s, word = %s }]
prompt = %s
[[cascades]]
name   = %s
models = [%s, "large"]
[cost]
model = "fixed"
`, escapedTOML(h.study), escapedTOML(h.model), escapedTOML(h.dataset), escapedTOML("file:"+h.file), escapedTOML(h.class), escapedTOML(h.word), escapedTOML("Item {"+h.column+"} is {said}:"), escapedTOML(h.cascade), escapedTOML(h.model))
	for name, text := range map[string]string{h.file: rows.String(), "study.toml": spec} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Skipf("the disk takes no such name: %v", err)
		}
	}
}

// Whatever a name, an id, a class or a text holds, no command sends it to the
// terminal: those that the spec takes reach every command, the others its error.
func TestHostileNamesReachNoTerminal(t *testing.T) {
	plain := hostileStudy{model: "small", dataset: "colours", cascade: "pair", column: "item", class: "blue", word: "blue",
		id: "", text: "", file: "rows.csv", study: "named"}
	for _, tt := range []struct {
		name  string
		put   func(*hostileStudy)
		taken bool // the spec takes it: every command goes to its end
	}{
		{"data", func(h *hostileStudy) { h.id, h.text, h.class, h.word = hostile, hostile, hostile, hostile }, true},
		{"column", func(h *hostileStudy) { h.column = hostile }, false},
		{"file", func(h *hostileStudy) { h.file = hostile + ".csv" }, false},
		{"model", func(h *hostileStudy) { h.model = hostile }, false},
		{"dataset", func(h *hostileStudy) { h.dataset = hostile }, false},
		{"cascade", func(h *hostileStudy) { h.cascade = hostile }, false},
		{"study", func(h *hostileStudy) { h.study = hostile }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			h := plain
			tt.put(&h)
			h.write(t)
			writeHostileLog(t)
			for _, args := range [][]string{
				{"check", "study.toml"}, {"doctor", "study.toml"}, {"plan", "study.toml", "--show", "2"},
				{"collect", "study.toml", "--limit", "40"}, {"run", "study.toml", "--out", "run"}, {"analyze", "study.toml",
					"--out", "run"},
				{"report", "run"}, {"verify", "run"}, {"export", "run"}, {"init", h.file},
			} {
				if !tt.taken && args[0] != "check" && args[0] != "run" {
					continue
				}
				code := saysOf(t, args, "")
				if tt.taken && code != ExitOK {
					t.Errorf("infnet %s: exit code %d", args[0], code)
				}
			}
			if tt.name != "data" {
				return
			}
			// What the command line itself names, of a run that is there.
			for _, args := range [][]string{
				{"check", hostile}, {"run", hostile}, {"plan", "study.toml",
					"--model-override", hostile + "=" + hostile},
				{"collect", "study.toml", "--store", hostile + "/\x00"}, {"report", hostile}, {"verify", hostile}, {"export",
					hostile}, {"init", hostile}, {"data", "builtin:" + hostile},
				{"fit", hostile}, {"fit", "log.csv", "--class", hostile, "-o", "thresholds.toml"}, {"fit",
					"log.csv", "--confidence", hostile + "x"},
				{"sufficiency", "log.csv", "--extra", hostile + " x", "--permutations", "9"}, {"sufficiency", "log.csv", "--extra",
					hostile}, {"sufficiency", hostile, "--extra", "x"},
				{"route", hostile}, {hostile}, {"run", "--" + hostile},
			} {
				saysOf(t, args, "")
			}
		})
	}
}

// Decisions of route keep every id as it was, written so that it can be seen.
func TestRouteEscapesWhatIsHidden(t *testing.T) {
	t.Chdir(t.TempDir())
	writeHostileLog(t)
	if code := saysOf(t, []string{"fit", "log.csv", "--fit", "1", "--single", "-o", "thresholds.toml"},
		""); code != ExitOK {
		t.Fatal(code)
	}
	id := must(json.Marshal(hostile + "\x7f"))
	var out, errOut bytes.Buffer
	if code := Run(context.Background(), []string{"route", "thresholds.toml"},
		strings.NewReader(`{"id":`+string(id)+`,"confidence":0.9,"class":"x"}`+"\n"), &out, &errOut); code != ExitOK {
		t.Fatal(code, errOut.String())
	}
	shows(t, "route", out.String())
	var got struct{ ID string }
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.ID != hostile+"\x7f" {
		t.Errorf("%v: the id became %q in %s", err, got.ID, out.String())
	}
}

// writeHostileLog writes the log of two models with a hostile column and class.
func writeHostileLog(t *testing.T) {
	t.Helper()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"confidence", "student", "master", hostile, hostile + " x"})
	for i := range 60 {
		_ = w.Write([]string{fmt.Sprint(float64(i%50) / 50), strconv.Itoa(i % 3 / 2), "1", hostile + strconv.Itoa(i%2),
			strconv.Itoa(i % 5)})
	}
	w.Flush()
	if err := os.WriteFile("log.csv", b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// saysOf runs a command and looks at what it wrote.
func saysOf(t *testing.T, args []string, in string) int {
	t.Helper()
	var out, errOut bytes.Buffer
	code := Run(context.Background(), args, strings.NewReader(in), &out, &errOut)
	shows(t, args[0]+", stdout", out.String())
	shows(t, args[0]+", stderr", errOut.String())
	if t.Failed() || testing.Verbose() {
		t.Logf("infnet %q: exit code %d: %.300s", args, code, errOut.String())
	}
	return code
}

// The line that moves is drawn past the writer that cleans: names, and the lines above it, are clean before.
func TestProgressShowsNothingHidden(t *testing.T) {
	var out bytes.Buffer
	s := newScreen(&out, screenFlags{})
	s.width = 80
	calls := s.Begin(pipeline.Task{Name: hostile + "\n · x", Total: 2})
	bytes := s.Begin(pipeline.Task{Name: hostile + "\n", Total: 2, Download: true})
	if _, err := (above{s}).Write([]byte("line " + hostile + "\n")); err != nil {
		t.Fatal(err)
	}
	calls.Add(2, 0)
	bytes.Add(2, 0)
	bytes.Finish(t.Context())
	calls.Finish(t.Context())
	s.wait()
	drawn := regexp.MustCompile(`\x1b\[[0-9]*[A-Z]`).ReplaceAllString(out.String(), "")
	shows(t, "progress", strings.ReplaceAll(drawn, "\r", ""))
	wantIn(t, "output", drawn, "line a", "2/2", "· x")
	for line := range strings.Lines(drawn) {
		if strings.HasPrefix(line, " · x") {
			t.Errorf("a name breaks the line: %q", line)
		}
	}
}
