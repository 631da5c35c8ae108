package program_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"infnet/harness/program"
	"infnet/harness/router"
	"infnet/harness/split"
)

// TestMain is the program where the tests start this binary as one: it says 0.9 of texts with "yes", 0.2 of others.
func TestMain(m *testing.M) {
	if how := os.Getenv("LEARNER"); how != "" {
		learn(how)
		return
	}
	if how := os.Getenv("GRADER"); how != "" {
		gradeAs(how)
		return
	}
	os.Exit(m.Run())
}

func learn(how string) {
	in := bufio.NewScanner(os.Stdin)
	in.Scan()
	var head struct{ Records, Version int }
	if json.Unmarshal(in.Bytes(), &head) != nil || head.Version != 1 {
		os.Exit(9)
	}
	last, count := -1, 0
	for in.Scan() {
		count++
		var r struct {
			ID         int
			Part, Text string
			Label      *int
		}
		if err := json.Unmarshal(in.Bytes(), &r); err != nil || (r.Label == nil) != (r.Part == "score") {
			os.Exit(8)
		}
		if r.Part == "train" {
			continue
		}
		score := 0.2
		if strings.Contains(r.Text, "yes") {
			score = 0.9
		}
		if how == "one too few" && last < 0 {
			last = r.ID
			continue
		}
		last = r.ID
		if how == "no probability" {
			score = 1.5
		}
		fmt.Printf(`{"id":%d,"score":%v,"flops":7}`+"\n", r.ID, score)
	}
	switch {
	case count != head.Records:
		os.Exit(7)
	case how == "twice":
		fmt.Printf(`{"id":%d,"score":0.5,"flops":7}`+"\n", last)
	case how == "of nobody":
		fmt.Println(`{"id":0,"score":0.5,"flops":7}`)
	case how == "no lines":
		fmt.Println("done!")
	case how == "an end":
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(3)
	case how == "forever":
		time.Sleep(time.Minute)
	}
}

// task has n records, of which those with "yes" are right.
func task(n int) router.Task {
	t := router.Task{Seed: 1, Name: "t", Threads: 1, Answered: true}
	for i := range n {
		text, label := "no", 0.0
		if i%3 > 0 {
			text, label = "yes", 1
		}
		t.Samples = append(t.Samples, router.Sample{ID: fmt.Sprintf("%03d", i), Query: text, Answer: "a"})
		t.Labels = append(t.Labels, label)
	}
	return t
}

func open(t *testing.T, how string) *program.Learner {
	t.Helper()
	t.Setenv("LEARNER", how)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l, err := program.Open("self", []string{self}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Every record is scored by a run that did not see its fold; with two values of a text the calibrated scores have two
// values, in the order of the program's. Labels and FLOPs arrive (7 for every score).
func TestCrossFit(t *testing.T) {
	data := task(200)
	items := make([]split.Item, len(data.Samples))
	for i, s := range data.Samples {
		items[i] = split.Item{ID: s.ID, Class: int(data.Labels[i])}
	}
	folds, err := split.KFold(split.FoldOptions{Seed: 1, Name: "f", K: 5}, items)
	if err != nil {
		t.Fatal(err)
	}
	learner, further := open(t, "well").Router(), []router.Sample{{ID: "new", Query: "yes"}}
	f, err := router.CrossFit(t.Context(), learner, data, folds, further)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range f.OutOfFold {
		if (p > 0.5) != (data.Labels[i] == 1) {
			t.Errorf("record %d of label %v has the score %v", i, data.Labels[i], p)
		}
	}
	if f.FLOPs != 7 || len(f.Applied) != 1 || f.Applied[0] < 0.5 || f.All.Digest == "" || f.All.Held.Records == 0 ||
		*f.Judged.AUROC != 1 {
		t.Errorf("%+v", f)
	}
}

// A fault of the program is an error that says which, and never a score.
func TestFaults(t *testing.T) {
	for how, want := range map[string]string{
		"one too few": "no score of record", "twice": "two scores", "of nobody": "want an id from 6 to 9",
		"no probability": "no probability", "no lines": "line 5", "an end": "out of memory",
	} {
		data := task(10)
		_, err := open(t, how).Run(t.Context(), data, []int{0, 1, 2, 3, 4, 5}, []int{6, 7}, data.Samples[8:])
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", how, err, want)
		}
	}
}

// A run that is given up ends the program.
func TestGivenUp(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	data := task(10)
	_, err := open(t, "forever").Run(ctx, data, []int{0, 1, 2}, nil, data.Samples[3:])
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// The key has the words and the bytes of the files that they name; a file that is missing is an error.
func TestKey(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "learn.sh"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	key := func(words ...string) string {
		l, err := program.Open("x", words, dir)
		if err != nil {
			t.Fatal(err)
		}
		return l.Key()
	}
	write("exit 1")
	first := key("sh", "learn.sh")
	write("exit 2")
	changed := key("sh", "learn.sh")
	if changed == first || key("sh", "learn.sh", "x") == changed || key("sh") == changed {
		t.Errorf("other programs have one key: %s", changed)
	}
	write("exit 1")
	if key("sh", "learn.sh") != first {
		t.Error("one program has two keys")
	}
	for _, words := range [][]string{{"sh", "./away.sh"}, {"no-such-program-here"}} {
		if _, err := program.Open("x", words, dir); err == nil || !strings.Contains(err.Error(), "learner \"x\"") {
			t.Errorf("%q: %v", words, err)
		}
	}
}
