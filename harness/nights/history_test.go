package nights

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// written is a history of so many looks, each with answers of its own.
func written(t *testing.T, looks int) *History {
	t.Helper()
	h, err := Read(filepath.Join(t.TempDir(), "history.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= looks; i++ {
		look, before, err := h.Plan(tonight(fmt.Sprintf("2026-03-%02d", i), fmt.Sprint("answers ", i)))
		if err != nil || before {
			t.Fatal(before, err)
		}
		look.Verdict = "same"
		if err := h.Append(look); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func tonight(date, inputs string) Look {
	return Look{Study: "nightly", Date: date, Accepted: "a1", Inputs: inputs, Alpha: 0.05}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	h := written(t, 5)
	again, err := Read(h.Path)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(h.Looks, again.Looks) || len(again.Looks) != 5 || again.Looks[4].Number != 5 {
		t.Errorf("%+v, written %+v", again.Looks, h.Looks)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(h.Path), "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("in the folder: %v, %v", left, err)
	}
}

// The shares of all looks are the level together: Σ 6/(π²k²) = 1.
func TestSharesSumToTheLevel(t *testing.T) {
	sum := 0.0
	for k := 1; k <= 1_000_000; k++ {
		sum += Share(0.05, k)
	}
	if sum > 0.05 || sum < 0.05-1e-7 { // the rest is less than 0.05·6/π²/10⁶
		t.Errorf("a million shares sum to %v", sum)
	}
	if got := Share(0.05, 1); math.Abs(got-0.0303963550927) > 1e-12 { // 0.05·6/π², by bc
		t.Errorf("first share %v", got)
	}
}

func TestPlan(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Look)
		look   int
		before bool
		wrong  string // part of the error
	}{
		{name: "new inputs", look: 6},
		{name: "inputs of look 2", change: func(l *Look) { l.Inputs = "answers 2" }, look: 2, before: true},
		{name: "another accepted run", change: func(l *Look) { l.Accepted = "a2" }, look: 1},
		{name: "another accepted run, with a level of its own", look: 1,
			change: func(l *Look) { l.Accepted, l.Alpha = "a2", 0.01 }},
		{name: "another study", change: func(l *Look) { l.Study = "weekly" },
			wrong: `history of study "nightly", and this run is of "weekly"`},
		{name: "another level", change: func(l *Look) { l.Alpha = 0.1 },
			wrong: "at a level of 0.05 since 2026-03-01, and now the level is 0.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := tonight("2026-03-09", "answers 9")
			if tt.change != nil {
				tt.change(&l)
			}
			look, before, err := written(t, 5).Plan(l)
			if tt.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wrong) {
					t.Fatalf("error %v, want one with %q", err, tt.wrong)
				}
				return
			}
			if err != nil || look.Number != tt.look || before != tt.before || look.Level != Share(l.Alpha, tt.look) {
				t.Errorf("look %+v, before %v, %v; want number %d", look, before, err, tt.look)
			}
		})
	}
}

// Whatever is wrong with a file, its line is named.
func TestBadHistories(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(l [][]byte) [][]byte
		want   string
	}{
		{name: "a missing look", want: "line 3: it is not as it was written, or the line before it is not",
			change: func(l [][]byte) [][]byte { return slices.Delete(l, 2, 3) }},
		{name: "a doubled look", want: "line 4: it is not as",
			change: func(l [][]byte) [][]byte { return slices.Insert(l, 3, l[2]) }},
		{name: "half a last line", want: "line 5: unexpected end",
			change: func(l [][]byte) [][]byte { l[4] = l[4][:len(l[4])/2]; return l }},
		{name: "no last newline", want: "line 5: it is not as",
			change: func(l [][]byte) [][]byte { l[4] = bytes.TrimSpace(l[4]); return l }},
		{name: "an empty line", want: "line 2: unexpected end",
			change: func(l [][]byte) [][]byte { return slices.Insert(l, 1, []byte("\n")) }},
		{name: "a line changed by hand", want: "line 2: it is not as",
			change: func(l [][]byte) [][]byte {
				l[1] = bytes.Replace(l[1], []byte(`"same"`), []byte(`"worse"`), 1)
				return l
			}},
		{name: "another version", want: "line 1: version 9, and this infnet reads 3",
			change: func(l [][]byte) [][]byte {
				l[0] = bytes.Replace(l[0], []byte(`"version":3`), []byte(`"version":9`), 1)
				return l
			}},
		{name: "a merge that is not finished", want: "line 2: invalid character",
			change: func(l [][]byte) [][]byte { return slices.Insert(l, 1, []byte("<<<<<<< HEAD\n")) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := written(t, 5)
			lines := bytes.SplitAfter(bytes.Clone(h.raw), []byte("\n"))[:5]
			if err := os.WriteFile(h.Path, bytes.Join(tt.change(lines), nil), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Read(h.Path)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.Is(err, ErrHistory) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// Of processes that append at once, one does and the others are told; no line is lost or torn.
func TestAppendAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new folder", "history.jsonl")
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		h, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			errs[i] = h.Append(tonight("2026-03-01", fmt.Sprint(i)))
		})
	}
	wg.Wait()
	done := 0
	for _, err := range errs {
		if err == nil {
			done++
		}
	}
	h, err := Read(path)
	if err != nil || done != 1 || len(h.Looks) != 1 {
		t.Errorf("%d appended, %v read, %v; errors %v", done, h, err, errs)
	}
}

// FuzzRead never panics, and what it accepts can be written and read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"version":3,"study":"s","date":"2026-01-01"}` + "\n"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "h")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		h, err := Read(path)
		if err == nil && len(data) > 0 && len(h.Looks) == 0 {
			t.Errorf("%q is read as a history without looks", data)
		}
	})
}
