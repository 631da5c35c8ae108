package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
)

// shardOf opens a store as a process with a shard does.
func shardOf(root, shard string) *Store { return Open(root, Options{Shard: shard}) }

// write appends answers from to to as one process would.
func write(t *testing.T, s *Store, from, to int) (wrote int) {
	t.Helper()
	a := must(s.WriteAnswers(testID))(t)
	wrote = must(a.Append(records(from, to)))(t)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return wrote
}

func TestShardsWriteFilesOfTheirOwn(t *testing.T) {
	root := t.TempDir()
	ordinary := Open(root, Options{})
	write(t, ordinary, 0, 2) // a store of before
	a, b := shardOf(root, "1-of-2"), shardOf(root, "2-of-2")
	write(t, a, 2, 5)
	write(t, b, 5, 8)
	if n := write(t, a, 0, 6); n != 0 {
		t.Errorf("a shard wrote %d answers that other files have", n)
	}
	files := glob(t, ordinary, "*.jsonl")
	if len(files) != 3 { // the last one had nothing to write, and made none
		t.Errorf("files %q, want 3", files)
	}
	if n := count(t, ordinary); n != 8 {
		t.Errorf("%d answers are read, want 8", n)
	}
	if n := write(t, ordinary, 0, 10); n != 2 {
		t.Errorf("an ordinary writer wrote %d answers, want the 2 that were missing", n)
	}
	r := must(ordinary.Answers(testID))(t)
	defer r.Close()
	if r.Len() != 10 {
		t.Errorf("%d answers, want 10", r.Len())
	}
	seen := map[backends.Key]int{}
	for rec, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		seen[rec.Answer.Key]++
	}
	for i := range 10 {
		if seen[key(i)] != 1 {
			t.Errorf("answer %d comes %d times", i, seen[key(i)])
		}
	}
}

// Two processes with the same shard at once, and two goroutines of each: no line is damaged, and every answer is
// there once.
func TestOneShardTwiceAtOnce(t *testing.T) {
	root := t.TempDir()
	var wg sync.WaitGroup
	for range 3 {
		s := shardOf(root, "1-of-1")
		a := must(s.WriteAnswers(testID))(t) // all see an empty store
		wg.Go(func() {
			for i := range 40 {
				if _, err := a.Append(records(i, i+2)); err != nil {
					t.Error(err)
				}
			}
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s := Open(root, Options{})
	if n := count(t, s); n != 41 {
		t.Errorf("%d answers, want 41", n)
	}
	if files := glob(t, s, "*"); len(files) != 3 {
		t.Errorf("files %q, want one of each process", files)
	}
}

// Of two answers to one request, that of the main file counts, then that of the oldest shard.
func TestWhichAnswerCounts(t *testing.T) {
	for _, test := range []struct {
		name  string
		order []string // who writes, all before they see each other; "" = no shard
		want  int      // whose answer counts
	}{
		{"two shards", []string{"1-of-2", "2-of-2"}, 0},
		{"the same shard twice", []string{"1-of-2", "1-of-2"}, 0},
		{"the main file, made last", []string{"1-of-2", ""}, 1},
		{"the main file, made first", []string{"", "1-of-2"}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			var open []*Answers
			for _, shard := range test.order {
				open = append(open, must(shardOf(root, shard).WriteAnswers(testID))(t))
			}
			for i, a := range open {
				r := record(7)
				r.Answer.Text = fmt.Sprint("of ", i)
				must(a.Append([]Record{r}))(t)
				if err := a.Fail([]Failed{failed(8, fmt.Sprint("of ", i))}); err != nil {
					t.Fatal(err)
				}
			}
			for _, a := range open {
				if err := a.Close(); err != nil {
					t.Fatal(err)
				}
			}
			r := must(Open(root, Options{}).Answers(testID))(t)
			defer r.Close()
			got, ok, err := r.Get(key(7))
			if want := fmt.Sprint("of ", test.want); err != nil || !ok || got.Answer.Text != want {
				t.Errorf("the answer %q counts, %v, %v; want %q", got.Answer.Text, ok, err, want)
			}
			last := 1 // of failures, the newest shard's counts, unless the main file has one
			for i, shard := range test.order {
				if shard == "" {
					last = i
				}
			}
			f, ok, err := r.Failure(key(8))
			if want := fmt.Sprint("of ", last); err != nil || !ok || f.Failure.Message != want {
				t.Errorf("the failure %q counts, %v, %v; want %q", f.Failure.Message, ok, err, want)
			}
			if _, ok, err := r.Failure(key(7)); ok || err != nil {
				t.Errorf("a failure of an answered request: %v, %v", ok, err)
			}
		})
	}
}

func failed(i int, message string) Failed {
	return Failed{Key: key(i), Example: fmt.Sprint(i),
		Failure: backends.Failure{Cause: backends.Timeout, Message: message}}
}

// A torn last line of a shard that was killed stays in its file, is told while its answer is missing, and never again.
func TestTornShard(t *testing.T) {
	root := t.TempDir()
	write(t, shardOf(root, "1-of-2"), 0, 3)
	path := glob(t, Open(root, Options{}), "*.jsonl")[0]
	whole := read(t, path)
	cut := whole[:len(whole)-20]
	overwrite(t, path, cut)
	told := 0
	notice := Options{Notice: func(torn Torn) {
		told++
		if torn.Path != path || torn.Line != 4 || torn.Holds != "answers" {
			t.Errorf("told of %v", torn)
		}
	}}
	r := must(Open(root, notice).Answers(testID))(t)
	if r.Len() != 2 || !r.Lost(key(2)) || told != 1 {
		t.Errorf("%d answers, lost %v, told %d times", r.Len(), r.Lost(key(2)), told)
	}
	r.Close()
	for _, shard := range []string{"1-of-2", ""} { // neither touches the file
		told = 0
		if n := write(t, shardOf(root, shard), 0, 4); (n == 2) != (shard != "") {
			t.Errorf("shard %q wrote %d answers", shard, n)
		}
		if !bytes.Equal(read(t, path), cut) {
			t.Errorf("shard %q changed another's file", shard)
		}
		must(Open(root, notice).Answers(testID))(t).Close()
		if told != 0 {
			t.Errorf("the line is told of though its answer is there")
		}
	}
	if n := count(t, Open(root, Options{})); n != 4 {
		t.Errorf("%d answers, want 4", n)
	}
}

// Damage in a shard's file is an error that names this file.
func TestDamagedShard(t *testing.T) {
	root := t.TempDir()
	write(t, Open(root, Options{}), 0, 2)
	write(t, shardOf(root, "1-of-1"), 2, 4)
	path := glob(t, Open(root, Options{}), "*.shard-*.jsonl")[0]
	b := read(t, path)
	b[len(b)-40] ^= 1
	overwrite(t, path, b)
	_, err := Open(root, Options{}).Answers(testID)
	if err == nil || !strings.Contains(err.Error(), path+":3: damaged line") {
		t.Errorf("error %v, want one about %s:3", err, path)
	}
}

// A line whose pages arrive in another order, as a client of NFS may show them, is whole a moment later.
func TestShardSeenTooEarly(t *testing.T) {
	root := t.TempDir()
	write(t, shardOf(root, "1-of-1"), 0, 3)
	path := glob(t, Open(root, Options{}), "*.shard-*.jsonl")[0]
	whole := read(t, path)
	early := bytes.Clone(whole)
	clear(early[len(early)-60 : len(early)-30]) // zeros where a page is missing
	overwrite(t, path, early)
	var later sync.WaitGroup
	later.Go(func() {
		time.Sleep(50 * time.Millisecond) // whenever it comes, the test passes: reading waits more than a second
		overwrite(t, path, whole)
	})
	if n := count(t, Open(root, Options{})); n != 3 {
		t.Errorf("%d answers, want 3", n)
	}
	later.Wait()
}

// Vectors, scores and findings of shards are read together; shards take no lock.
func TestShardsOfOtherFiles(t *testing.T) {
	root := t.TempDir()
	held := must(Open(root, Options{}).WriteVectors(testID.Model))(t) // holds the main file's lock
	must(held.Append([]Vector{{"a", []float32{1}}}))(t)
	for i, text := range []string{"b", "c"} {
		s := shardOf(root, fmt.Sprintf("%d-of-2", i+1))
		v := must(s.WriteVectors(testID.Model))(t)
		must(v.Append([]Vector{{"a", []float32{9}}, {text, []float32{2}}}))(t)
		scorer := testID.Model
		scorer.Revision = "scorer"
		sc := must(s.WriteScores(scorer))(t)
		must(sc.Append([]Score{{backends.Pair{Source: text}, 0.5}}))(t)
		if v.Close() != nil || sc.Close() != nil {
			t.Fatal("close")
		}
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	s := Open(root, Options{})
	v := must(s.Vectors(testID.Model))(t)
	defer v.Close()
	got, _, err := v.Get("a")
	if diff := cmp.Diff([]float32{1}, got); diff != "" || err != nil || v.Len() != 3 {
		t.Errorf("vectors: %s, %v, %d of them", diff, err, v.Len())
	}
	scorer := testID.Model
	scorer.Revision = "scorer"
	sc := must(s.Scores(scorer))(t)
	defer sc.Close()
	if sc.Len() != 2 {
		t.Errorf("%d scores, want 2", sc.Len())
	}
	if left := glob(t, s, "*.lock"); len(left) > 0 {
		t.Errorf("locks left: %q", left)
	}
}

// The first finding decides how answers are asked for, so it stays the first, whoever finds another one later.
func TestFirstFindingStays(t *testing.T) {
	for _, first := range []string{"", "1-of-2"} {
		root := t.TempDir()
		var last []Served
		for i, shard := range []string{first, "2-of-2", "", "1-of-2"} {
			last = must(shardOf(root, shard).AddServed(testID.Model, Served{Fingerprint: fmt.Sprint(i)}))(t)
		}
		var got []string
		for _, f := range last {
			got = append(got, f.Fingerprint)
		}
		if diff := cmp.Diff([]string{"0", "1", "2", "3"}, got); diff != "" {
			t.Errorf("first by shard %q: %s", first, diff)
		}
	}
}

// What is on a lock file tells another machine's process from this one's.
func TestInUseElsewhere(t *testing.T) {
	s := Open(t.TempDir(), Options{})
	a := must(s.WriteAnswers(testID))(t)
	defer a.Close()
	lock := glob(t, s, "*.lock")[0]
	for _, test := range []struct{ name, text, want string }{
		{"of an earlier version", "4711\n", "in use by pid 4711:"},
		{"of another machine", "4711 node17\n", "in use by pid 4711 on node17:"},
		{"empty, on a full disk", "", "in use by another process:"},
	} {
		overwrite(t, lock, []byte(test.text))
		if _, err := s.WriteAnswers(testID); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
}

// The names of shards' files hide nothing from an earlier version, which reads the one that ends in -HASH.jsonl.
func TestNamesOfShards(t *testing.T) {
	root := t.TempDir()
	s := shardOf(root, "3-of-16")
	a := must(s.WriteAnswers(testID))(t)
	must(a.Append(records(0, 1)))(t)
	if err := a.Fail([]Failed{failed(1, "no")}); err != nil {
		t.Fatal(err)
	}
	a.Close()
	for _, path := range glob(t, s, "*") {
		name := filepath.Base(path)
		if strings.HasSuffix(name, "-"+s.about(testID).hash()+".jsonl") ||
			!strings.Contains(name, "Z-3-of-16-") || len(name) > 255 {
			t.Errorf("name %q", name)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o200 == 0 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if n := len(glob(t, s, "*.failures.jsonl")); n != 1 {
		t.Errorf("%d files of failures, want 1", n)
	}
}
