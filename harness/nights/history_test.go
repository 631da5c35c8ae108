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

// written is a history of so many nights, each with answers of its own but the last, which has those of the first.
func written(t *testing.T, nights int) *History {
	t.Helper()
	h, err := Read(filepath.Join(t.TempDir(), "history.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= nights; i++ {
		inputs := fmt.Sprint("answers ", i)
		if i == nights {
			inputs = "answers 1"
		}
		add(t, h, fmt.Sprintf("2026-03-%02d", i), inputs)
	}
	return h
}

func tonight(date, inputs string) Night {
	return Night{Study: "nightly", Date: date, Run: "run of " + inputs, Accepted: "a1", Since: "2026-02-01",
		Inputs: inputs,
		Alpha:  0.05}
}

// add plans a night and appends it.
func add(t *testing.T, h *History, date, inputs string) {
	t.Helper()
	n := tonight(date, inputs)
	look, err := h.Plan(n)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Append(n.line(look)); err != nil {
		t.Fatal(err)
	}
}

// line is a night's line.
func (t Night) line(l Look) Night {
	return Night{Study: t.Study, Date: t.Date, Run: t.Run, Accepted: t.Accepted, Since: t.Since, Inputs: t.Inputs,
		Alpha: t.Alpha, Look: l.Number, Level: l.Level, Like: l.Like, Verdict: "same"}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	h := written(t, 5)
	again, err := Read(h.Path)
	if err != nil {
		t.Fatal(err)
	}
	var looks, likes []int
	for i, n := range again.Nights {
		if n.Number != i+1 || n.Sum != h.Nights[i].Sum {
			t.Errorf("line %d is night %d with checksum %s, written with %s", i+1, n.Number, n.Sum, h.Nights[i].Sum)
		}
		looks, likes = append(looks, n.Look), append(likes, n.Like)
	}
	// by hand: four inputs, then the first again
	if !slices.Equal(looks, []int{1, 2, 3, 4, 1}) || !slices.Equal(likes, []int{0, 0, 0, 0, 1}) {
		t.Errorf("looks %v, likes %v", looks, likes)
	}
	if n := again.Of(4); n.Number != 1 {
		t.Errorf("night 5 has its quantities at %+v", n)
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
	base := tonight("2026-03-09", "answers 9")
	for _, tt := range []struct {
		name   string
		change func(*Night)
		look   int
		like   int
		note   string // part of it
		again  bool
		wrong  string // part of the error
	}{
		{name: "new inputs", look: 5, note: "no run between 2026-03-05 and 2026-03-09"},
		{name: "the next day", change: func(n *Night) { n.Date = "2026-03-06" }, look: 5},
		{name: "inputs of night 2", change: func(n *Night) { n.Inputs = "answers 2" }, look: 2, like: 2,
			note: "no run between"},
		{name: "another accepted run", change: func(n *Night) { n.Accepted = "a2" }, look: 1, note: "no run between"},
		{name: "the same run again", look: 1, like: 1, again: true, note: "is in the history already, as night 5",
			change: func(n *Night) { n.Date, n.Inputs, n.Run = "2026-03-05", "answers 1", "run of answers 1" }},
		{name: "another run of the day", change: func(n *Night) { n.Date = "2026-03-05" }, look: 5,
			note: "another run of 2026-03-05 is in the history, as night 5"},
		{name: "another accepted run, with a level of its own", look: 1, note: "no run between",
			change: func(n *Night) { n.Accepted, n.Alpha = "a2", 0.01 }},
		{name: "another study", change: func(n *Night) { n.Study = "weekly" },
			wrong: `history of study "nightly", and this run is of "weekly"`},
		{name: "yesterday", change: func(n *Night) { n.Date = "2026-03-04" },
			wrong: "this run is dated 2026-03-04: nights are appended in order; correct --date or the machine's clock; if"},
		{name: "another level", change: func(n *Night) { n.Alpha = 0.1 },
			wrong: "at a level of 0.05 since 2026-03-01, and now the level is 0.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := base
			if tt.change != nil {
				tt.change(&n)
			}
			look, err := written(t, 5).Plan(n)
			if tt.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wrong) {
					t.Fatalf("error %v, want one with %q", err, tt.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if look.Number != tt.look || look.Like != tt.like || (look.Again != nil) != tt.again ||
				look.Level != Share(n.Alpha, tt.look) {
				t.Errorf("look %+v, want number %d like %d", look, tt.look, tt.like)
			}
			if tt.note == "" != (look.Note == "") || !strings.Contains(look.Note, tt.note) {
				t.Errorf("note %q, want %q", look.Note, tt.note)
			}
		})
	}
}

// An incomplete night is kept and is no look: the same inputs, complete, are a new one.
func TestIncompleteNightIsNoLook(t *testing.T) {
	h := written(t, 3)
	n := tonight("2026-03-06", "answers 6")
	line := n.line(Look{})
	line.Verdict, line.Why = Incomplete, "the server was down"
	if err := h.Append(line); err != nil {
		t.Fatal(err)
	}
	h, err := Read(h.Path)
	if err != nil {
		t.Fatal(err)
	}
	look, err := h.Plan(tonight("2026-03-06", "answers 6"))
	if err != nil || look.Number != 3 || look.Like != 0 || look.Again != nil {
		t.Errorf("look %+v, %v: want number 3 of its own", look, err)
	}
}

// Everything that can be wrong with a file is said.
func TestBadHistories(t *testing.T) {
	lines := func(t *testing.T, h *History) [][]byte {
		return bytes.SplitAfter(bytes.Clone(h.raw), []byte("\n"))[:len(h.Nights)]
	}
	for _, tt := range []struct {
		name   string
		change func(l [][]byte) [][]byte
		want   string
	}{
		{name: "a missing night", want: "line 3 is night 4, and night 3 is before it missing",
			change: func(l [][]byte) [][]byte { return slices.Delete(l, 2, 3) }},
		{name: "missing nights at the start", want: "line 1 is night 3, and nights 1 to 2 are before it missing",
			change: func(l [][]byte) [][]byte { return l[2:] }},
		{name: "a doubled night", want: "line 4 is night 3, which line 3 is already",
			change: func(l [][]byte) [][]byte { return slices.Insert(l, 3, l[2]) }},
		{name: "nights in another order", want: "line 2 is night 3, and night 2 is before it missing",
			change: func(l [][]byte) [][]byte { l[1], l[2] = l[2], l[1]; return l }},
		{name: "half a last line", want: "line 5 ends in the middle",
			change: func(l [][]byte) [][]byte { l[4] = l[4][:len(l[4])/2]; return l }},
		{name: "no last newline", want: "line 5 ends in the middle",
			change: func(l [][]byte) [][]byte { l[4] = bytes.TrimSpace(l[4]); return l }},
		{name: "a damaged line", want: "line 2 is damaged (",
			change: func(l [][]byte) [][]byte { l[1] = []byte("{\"version\": 2, \"ni\n"); return l }},
		{name: "an empty line", want: "line 2 is damaged (",
			change: func(l [][]byte) [][]byte { return slices.Insert(l, 1, []byte("\n")) }},
		{name: "a line of zeros", want: "line 2 is damaged (",
			change: func(l [][]byte) [][]byte { l[1] = append(make([]byte, 100), '\n'); return l }},
		{name: "an unknown key", want: "line 2 is not as it was written",
			change: func(l [][]byte) [][]byte {
				l[1] = bytes.Replace(l[1], []byte(`"date"`), []byte(`"mood":1,"date"`), 1)
				return l
			}},
		{name: "a line changed by hand", want: "line 2 is not as it was written (its checksum is another one)",
			change: func(l [][]byte) [][]byte {
				l[1] = bytes.Replace(l[1], []byte(`"same"`), []byte(`"worse"`), 1)
				return l
			}},
		{name: "another version", want: "line 1 has version 9, and this infnet reads 2",
			change: func(l [][]byte) [][]byte {
				l[0] = bytes.Replace(l[0], []byte(`"version":2`), []byte(`"version":9`), 1)
				return l
			}},
		{name: "a merge that is not finished", want: "line 2 is the mark of a merge",
			change: func(l [][]byte) [][]byte { return slices.Insert(l, 1, []byte("<<<<<<< HEAD\n")) }},
		{name: "two lines in one", want: "line 2 is damaged (",
			change: func(l [][]byte) [][]byte { l[1] = bytes.TrimSpace(l[1]); return l }},
		{name: "no history at all", want: "line 1 is damaged (",
			change: func(l [][]byte) [][]byte { return [][]byte{[]byte("# a README\n")} }},
		{name: "other JSON", want: "line 1 has version 0",
			change: func(l [][]byte) [][]byte { return [][]byte{[]byte("{}\n")} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := written(t, 5)
			if err := os.WriteFile(h.Path, bytes.Join(tt.change(lines(t, h)), nil), 0o600); err != nil {
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
			errs[i] = h.Append(tonight("2026-03-01", fmt.Sprint(i)).line(Look{Number: 1, Level: Share(0.05, 1)}))
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
	if err != nil || done != 1 || len(h.Nights) != 1 {
		t.Errorf("%d appended, %v read, %v; errors %v", done, h, err, errs)
	}
}

// Line ends of another system change nothing.
func TestOtherLineEnds(t *testing.T) {
	h := written(t, 3)
	if err := os.WriteFile(h.Path, bytes.ReplaceAll(h.raw, []byte("\n"), []byte("\r\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := Read(h.Path)
	if err != nil {
		t.Fatal(err)
	}
	add(t, h, "2026-03-09", "answers 9")
	if h, err = Read(h.Path); err != nil || len(h.Nights) != 4 {
		t.Errorf("%d nights, %v", len(h.Nights), err)
	}
}

// FuzzRead never panics, and what it accepts can be written and read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"version":2,"night":1,"study":"s","date":"2026-01-01"}` + "\n"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "h")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		h, err := Read(path)
		if err == nil && len(data) > 0 && len(h.Nights) == 0 {
			t.Errorf("%q is read as a history without nights", data)
		}
	})
}
