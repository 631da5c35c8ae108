package store

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

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
