package collect_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/retry"
	"infnet/harness/collect"
	"infnet/harness/store"
)

func TestRun(t *testing.T) {
	st := newStore(t)
	f := &backendtest.Faulty{Batch: 3}
	j, opened := job(f, 10)
	p := &recorder{t: t, store: st, job: j}
	rep, err := collect.Run(t.Context(), st, []collect.Job{j}, collect.Options{}, p)
	if err != nil {
		t.Fatal(err)
	}
	got := rep.Jobs[0]
	if got.Total != 10 || got.Asked != 10 || got.OnDisk != 0 || got.Failed != 0 || got.Missing() != 0 ||
		rep.Asked() != 10 {
		t.Errorf("report %+v", got)
	}
	if f.Calls() != 4 { // 3 + 3 + 3 + 1
		t.Errorf("%d calls, want 4", f.Calls())
	}
	if len(contents(t, st, j)) != 10 || p.added != 10 || p.ended != 1 {
		t.Errorf("%d on disk, %d counted, %d ends", len(contents(t, st, j)), p.added, p.ended)
	}
	// Again, and with more: only what is new is asked.
	for _, test := range []struct{ n, asked int }{{10, 0}, {12, 2}, {5, 0}} {
		more, _ := job(f, test.n)
		more.Open = j.Open
		before := f.Calls()
		rep, err := collect.Run(t.Context(), st, []collect.Job{more}, collect.Options{}, nil)
		if err != nil || rep.Asked() != test.asked || (f.Calls() > before) != (test.asked > 0) {
			t.Errorf("%d items: asked %d, want %d; error %v", test.n, rep.Asked(), test.asked, err)
		}
	}
	if opened.Load() != 2 {
		t.Errorf("the model was opened %d times, want 2: not where nothing is asked", opened.Load())
	}
	p = &recorder{t: t}
	j.Open = nil // not needed where everything is there
	if _, err := collect.Run(t.Context(), st, []collect.Job{j, j}, collect.Options{Offline: true}, p); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff([]string{"student on reviews: 10 of 10", "student on reviews: 10 of 10"}, p.starts); d != "" {
		t.Error(d)
	}
}

// Where everything is on disk nothing is locked or written: another process may hold the lock.
func TestNothingToDo(t *testing.T) {
	st := newStore(t)
	j, _ := job(&backendtest.Faulty{}, 3)
	if _, err := collect.Run(t.Context(), st, []collect.Job{j}, collect.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	w, err := st.WriteAnswers(store.ID{Model: j.Model, Dataset: j.Hash, Name: j.Dataset})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := collect.Run(t.Context(), st, []collect.Job{j}, collect.Options{}, nil); err != nil {
		t.Error(err)
	}
	more, _ := job(&backendtest.Faulty{}, 4)
	if _, err := collect.Run(t.Context(), st, []collect.Job{more}, collect.Options{}, nil); !errors.As(err,
		new(*store.InUseError)) {
		t.Errorf("error %v, want in use", err)
	}
}

// What goes wrong with one of four requests, how it is counted and recorded, and that it costs its neighbours nothing.
func TestFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		script []backendtest.Fault
		retry  bool
		cause  backends.Cause // "" = answered in the end
		others bool           // the whole call fails with it
	}{
		{"429, then good", []backendtest.Fault{backendtest.TooMany}, true, "", false},
		{"garbage, truncated, NaN, then good",
			[]backendtest.Fault{backendtest.Garbage, backendtest.Truncated, backendtest.NaN}, true, "", false},
		{"short, then extra, then good", []backendtest.Fault{backendtest.Short, backendtest.Extra}, true, "", false},
		{"429 without retries", []backendtest.Fault{backendtest.TooMany}, false, backends.RateLimited, false},
		{"500 for good", []backendtest.Fault{3, 3, 3, 3, 3, 3, 3}, true, backends.ServerError, false},
		{"timeout", []backendtest.Fault{backendtest.Late}, false, backends.Timeout, false},
		{"too long", []backendtest.Fault{backendtest.Long}, true, backends.TooLong, false},
		{"NaN", []backendtest.Fault{backendtest.NaN}, false, backends.BadResponse, false},
		{"no log-probabilities", []backendtest.Fault{backendtest.NoLogprobs}, false, backends.BadResponse, false},
		{"another request's answer", []backendtest.Fault{backendtest.WrongKey}, true, backends.Internal, false},
		{"too few answers", []backendtest.Fault{backendtest.Short}, false, backends.BadResponse, true},
		{"too many answers", []backendtest.Fault{backendtest.Extra}, false, backends.BadResponse, true},
		{"a panic", []backendtest.Fault{backendtest.Panic, backendtest.Panic}, false, backends.Internal, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			st := newStore(t)
			f := &backendtest.Faulty{Batch: 4, Script: map[string][]backendtest.Fault{"p2": test.script}}
			j, _ := job(f, 4)
			if test.retry {
				j.Open = func() (backends.Model, error) {
					return retry.New(f, retry.Options{Tries: 5, First: time.Microsecond}), nil
				}
			}
			p := &recorder{t: t, store: st, job: j}
			rep, err := collect.Run(t.Context(), st, []collect.Job{j}, collect.Options{}, p)
			if err != nil {
				t.Fatal(err)
			}
			failed := 0
			switch {
			case test.others:
				failed = 4
			case test.cause != "":
				failed = 1
			}
			got := rep.Jobs[0]
			if got.Asked != 4-failed || got.Failed != failed || p.failed != failed || p.added != 4-failed {
				t.Errorf("report %+v, progress %+v; want %d failed", got, p, failed)
			}
			if n := len(contents(t, st, j)); n != 4-failed {
				t.Errorf("%d answers on disk, want %d", n, 4-failed)
			}
			if causes := causes(got); failed > 0 && causes[test.cause] != failed {
				t.Errorf("causes %v, want %d of %s", causes, failed, test.cause)
			}
			if failed == 0 {
				return
			}
			// The failure stays recorded, is not asked again, and then is.
			asked := f.Asked("p2")
			rep, err = collect.Run(t.Context(), st, []collect.Job{j}, collect.Options{}, nil)
			if err != nil || rep.Jobs[0].Earlier != failed || causes(rep.Jobs[0])[test.cause] != failed ||
				f.Asked("p2") != asked {
				t.Errorf("second run: %+v, %v, asked %d times", rep.Jobs[0], err, f.Asked("p2"))
			}
			f.Script = nil
			rep, err = collect.Run(t.Context(), st, []collect.Job{j}, collect.Options{RetryFailed: true}, nil)
			if err != nil || rep.Jobs[0].Asked != failed || rep.Jobs[0].Missing() != 0 || f.Asked("p2") != asked+1 {
				t.Errorf("with RetryFailed: %+v, %v, asked %d times", rep.Jobs[0], err, f.Asked("p2"))
			}
			if n := len(contents(t, st, j)); n != 4 {
				t.Errorf("%d answers in the end, want 4", n)
			}
			rep, _ = collect.Run(t.Context(), st, []collect.Job{j}, collect.Options{}, nil)
			if rep.Jobs[0].OnDisk != 4 || len(causes(rep.Jobs[0])) != 0 {
				t.Errorf("once answered: %+v", rep.Jobs[0])
			}
		})
	}
}

func TestOffline(t *testing.T) {
	st := newStore(t)
	j, _ := job(&backendtest.Faulty{Script: map[string][]backendtest.Fault{"p1": {backendtest.Long}}}, 2)
	if _, err := collect.Run(t.Context(), st, []collect.Job{j}, collect.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	more, opened := job(&backendtest.Faulty{}, 9)
	other := more
	other.Dataset, other.Hash = "tickets", "d9"
	_, err := collect.Run(t.Context(), st, []collect.Job{more, other, j}, collect.Options{Offline: true}, nil)
	var m *collect.MissingError
	if !errors.As(err, &m) {
		t.Fatalf("error %v, want a *MissingError", err)
	}
	// p1 is recorded as a failure: it would not be asked, so it is not missing.
	want := []collect.Missing{
		{Model: "student", Dataset: "reviews", Count: 7},
		{Model: "student", Dataset: "tickets", Count: 9},
	}
	if d := cmp.Diff(want, m.Missing); d != "" {
		t.Error(d)
	}
	for _, part := range []string{"7 of student on reviews", "9 of student on tickets", "--offline",
		"--store"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
	if opened.Load() != 0 {
		t.Error("a model was opened offline")
	}
	if files, _ := filepath.Glob(filepath.Join(st.Root(), "*tickets*")); len(files) > 0 {
		t.Errorf("offline made %v", files)
	}
}

// The answers on disk are the same for every batch size and concurrency.
func TestCompany(t *testing.T) {
	var want map[string]backends.Answer
	for _, test := range []struct{ batch, concurrency int }{{1, 1}, {7, 1}, {64, 3}, {1, 16}, {1000, 2}} {
		st := newStore(t)
		j := drawn(t, 300, 0)
		j.Batch, j.Concurrency = test.batch, test.concurrency
		if _, err := collect.Run(t.Context(), st, []collect.Job{j}, collect.Options{}, nil); err != nil {
			t.Fatal(err)
		}
		got := contents(t, st, j)
		if want == nil {
			want = got
		}
		if len(got) != 300 {
			t.Errorf("%+v: %d answers", test, len(got))
		}
		same(t, want, got)
	}
}

func TestFatal(t *testing.T) {
	st := newStore(t)
	f := &backendtest.Faulty{Script: map[string][]backendtest.Fault{"p5": {backendtest.Fatal}}}
	j, _ := job(f, 100)
	j.Concurrency = 1
	_, err := collect.Run(t.Context(), st, []collect.Job{j}, collect.Options{}, nil)
	if !errors.Is(err, backendtest.ErrFatal) || !strings.Contains(err.Error(), "collect student on reviews: ") {
		t.Errorf("error %v, want the model's own with its job", err)
	}
	got := contents(t, st, j) // calls that had begun may come after the five before
	for i := range 6 {
		if _, there := got[fmt.Sprint("ex", i)]; there != (i < 5) {
			t.Errorf("%v on disk, want the five before and not the sixth", got)
			break
		}
	}
	if f.Calls() == 100 {
		t.Errorf("%d calls", f.Calls())
	}
}

func TestGiveUp(t *testing.T) {
	for _, test := range []struct {
		name    string
		fault   backendtest.Fault
		first   int // requests that are answered before the failures begin
		persist bool
		calls   int
		stops   bool
	}{
		{"a server that is down", backendtest.Down, 0, false, 20, true},
		{"a server that goes down", backendtest.Down, 9, false, 29, true},
		{"a key that is wrong", backendtest.Forbidden, 0, false, 20, true},
		{"requests that no server takes", backendtest.Refused, 0, false, 20, true},
		{"requests that are refused after others were answered", backendtest.Refused, 9, false, 109, true},
		{"long prompts say nothing of the server", backendtest.Long, 0, false, 300, false},
		{"never", backendtest.Down, 0, true, 300, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			script := map[string][]backendtest.Fault{}
			for i := test.first; i < 300; i++ {
				script[fmt.Sprint("p", i)] = []backendtest.Fault{test.fault}
			}
			f := &backendtest.Faulty{Script: script}
			j, _ := job(f, 300)
			j.Concurrency = 1
			rep, err := collect.Run(t.Context(), newStore(t), []collect.Job{j}, collect.Options{Persist: test.persist}, nil)
			var g *collect.GaveUpError
			if errors.As(err, &g) != test.stops ||
				test.stops && (g.Failures < test.calls-test.first || !strings.Contains(err.Error(), "--retry-failed")) {
				t.Errorf("error %v", err)
			}
			if f.Calls() < test.calls || f.Calls() > test.calls+100 { // how many come while a batch is written is the disk's
				t.Errorf("%d calls, want %d and few more", f.Calls(), test.calls)
			}
			if rep.Jobs[0].Failed != f.Calls()-test.first {
				t.Errorf("%d failures recorded, want %d", rep.Jobs[0].Failed, test.calls-test.first)
			}
			groups := rep.Jobs[0].Failures()
			if len(groups) != 1 || groups[0].Count != rep.Jobs[0].Failed || groups[0].Example != fmt.Sprint("ex", test.first) ||
				groups[0].First.Message == "" {
				t.Errorf("groups of failures: %+v", groups)
			}
		})
	}
}

func TestBadJobs(t *testing.T) {
	mine := errors.New("no weights here")
	bad := errors.New("row 7: no text")
	good, _ := job(&backendtest.Faulty{}, 3)
	for _, test := range []struct {
		name  string
		spoil func(*collect.Job)
		want  string
	}{
		{"cannot open", func(j *collect.Job) { j.Open = func() (backends.Model, error) { return nil, mine } }, mine.Error()},
		{"nothing to open", func(j *collect.Job) { j.Open = nil }, "no way to open"},
		{"another model's request", func(j *collect.Job) { j.Model.Revision = "2" },
			`example "ex0": the request is for model "m"`},
		{"items fail", func(j *collect.Job) {
			items := j.Items
			j.Items = func(yield func(collect.Item, error) bool) {
				items(func(it collect.Item, err error) bool { return yield(it, err) })
				yield(collect.Item{}, bad)
			}
		}, bad.Error()},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := good
			test.spoil(&j)
			_, err := collect.Run(t.Context(), newStore(t), []collect.Job{j}, collect.Options{}, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "student on reviews") {
				t.Errorf("error %v, want %q and the job", err, test.want)
			}
		})
	}
}

// causes adds up a job's failures by cause.
func causes(j collect.JobReport) map[backends.Cause]int {
	sum := map[backends.Cause]int{}
	for _, g := range j.Failures() {
		sum[g.First.Cause] += g.Count
	}
	return sum
}
