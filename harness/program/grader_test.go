package program_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"infnet/backends"
	"infnet/harness/program"
)

// gradeAs is a grader: an answer that is its first reference is right, and an empty one is left undecided.
func gradeAs(how string) {
	in := bufio.NewScanner(os.Stdin)
	in.Scan()
	var head struct{ Version, Answers int }
	if json.Unmarshal(in.Bytes(), &head) != nil || head.Version != 1 {
		os.Exit(9)
	}
	if how == "silent" {
		time.Sleep(time.Minute)
	}
	var last []string
	for in.Scan() {
		var r struct {
			ID         int
			Fields     map[string]string
			References []string
			Answer     string
		}
		if json.Unmarshal(in.Bytes(), &r) != nil || r.Fields["q"] != "<1 & 2>" {
			os.Exit(8)
		}
		line := fmt.Sprintf(`{"id":%d,"score":0}`, r.ID)
		switch r.Answer {
		case r.References[0]:
			line = fmt.Sprintf(`{"id":%d,"score":1}`, r.ID)
		case "":
			line = fmt.Sprintf(`{"id":%d,"undecided":true}`, r.ID)
		}
		last = append([]string{line}, last...) // in another order than they came
	}
	if len(last) != head.Answers {
		os.Exit(7)
	}
	if how != "well" {
		last[0] = how
	}
	fmt.Println(strings.Join(last, "\n"))
	if how == "" {
		os.Exit(3)
	}
}

// given are n answers to one record: right, wrong, without an answer, and with characters of JSON.
func given() (list []backends.Pair) {
	for _, answer := range []string{"a {1} \"b\"", "no", "", "a {1}"} {
		list = append(list, backends.Pair{Target: answer,
			Source: `{"fields":{"q":"<1 & 2>"},"references":["a {1} \"b\"","{}"]}`})
	}
	return list
}

func grader(t *testing.T, how string, silence time.Duration) *program.Grader {
	t.Helper()
	t.Setenv("GRADER", how)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g, err := program.OpenGrader("self", []string{self}, t.TempDir(), silence)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Grades come back in the order of the answers, whatever the order of the lines; nil is undecided.
func TestGrade(t *testing.T) {
	scores, err := grader(t, "well", time.Minute).Grade(t.Context(), given())
	if err != nil || len(scores) != 4 || *scores[0] != 1 || *scores[1] != 0 || scores[2] != nil || *scores[3] != 0 {
		t.Errorf("%v, %v", scores, err)
	}
}

// A line that is no grade is an error that says what is wrong with it; the fourth answer's comes first.
func TestGraderFaults(t *testing.T) {
	for line, want := range map[string]string{
		`{"id":3,"score":1.01}`:                   "line 1 of its output: the score of answer 3 is 1.01, want 0 to 1",
		`{"id":3,"score":-1}`:                     "want 0 to 1",
		`{"id":3,"score":"1"}`:                    "line 1",
		`{"id":3,"score":NaN}`:                    "line 1",
		`{"id":3}`:                                "want a score of answer 3",
		`{"id":3,"undecided":false}`:              "want a score of answer 3",
		`{"id":3,"score":1,"undecided":true}`:     "want a score of answer 3",
		`{"id":3,"score":1,"reason":"because"}`:   "nothing else: map[reason:because]",
		`{"id":3,"score":1,"score":0}`:            "line 1",
		`{"id":3,"score":1} {}`:                   "line 1",
		`{"id":4,"score":1}`:                      "want an id from 0 to 3",
		`{"id":-1,"score":1}`:                     "want an id from 0 to",
		`{"score":1}`:                             "want an id from 0 to",
		`{"id":2,"score":1}`:                      "line 2 of its output: answer 2, \"\" has two scores",
		`{"id":3,"error":"no compiler"}`:          `it could not grade answer 3, "a {1}": no compiler`,
		"\n":                                      "line 1",
		strings.Repeat(" ", 1<<20) + `{"id":3}`:   "too long",
		`{"id":0,"score":1}` + "\n" + `{"id":3}}`: "line 2",
	} {
		_, err := grader(t, line, time.Minute).Grade(t.Context(), given())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want an error with %q", line, err, want)
		}
	}
	if _, err := grader(t, `{"id":3,"score":1}`, time.Minute).Grade(t.Context(), given()[:3]); err == nil {
		t.Error("a grade of an answer that was not given")
	}
}

// A program that writes nothing is ended, and so is one whose run is given up.
func TestSilence(t *testing.T) {
	_, err := grader(t, "silent", 50*time.Millisecond).Grade(t.Context(), given())
	if err == nil || !strings.Contains(err.Error(), "it wrote nothing for 50ms") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := grader(t, "silent", time.Minute).Grade(ctx, given()); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// The name of the grades has the words and the bytes of the files, and not the folder; a program beside its study is
// found from wherever infnet runs.
func TestGraderID(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	for _, dir := range []string{"a", "b"} {
		if err := errors.Join(os.Mkdir(dir, 0o700),
			os.WriteFile(filepath.Join(dir, "grade.sh"), []byte("#!/bin/sh\ncat >/dev/null\n"), 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	id := func(dir string, words ...string) backends.ModelID {
		g, err := program.OpenGrader("x", words, dir, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if len(words) == 1 {
			if _, err := g.Grade(t.Context(), nil); err != nil {
				t.Error(err)
			}
		}
		return g.ID()
	}
	if id("a", "./grade.sh") != id("b", "./grade.sh") || id("a", "./grade.sh") == id("a", "./grade.sh", "--strict") {
		t.Error("the name is of more or less than the words and the bytes")
	}
	before := id("a", "sh", "grade.sh")
	if err := os.WriteFile("a/grade.sh", []byte("exit 0"), 0o600); err != nil {
		t.Fatal(err)
	}
	if id("a", "sh", "grade.sh") == before {
		t.Error("a changed program has the same name")
	}
}

// The shipped example grades code by its tests: right, wrong, a whole function in a fence, and code that ends before
// its tests.
func TestGradeTests(t *testing.T) {
	if exec.Command("python3", "--version").Run() != nil {
		t.Skip("no python3")
	}
	const source = `{"fields":{"entry_point":"add","prompt":"def add(a, b):\n","test":"def check(f):\n    assert f(1, 2) == 3"},` +
		`"references":[]}`
	var list []backends.Pair
	for _, answer := range []string{"    return a + b", "    return a - b",
		"Here:\n```python\ndef add(a, b):\n    return b + a\n```", "    exit(0)"} {
		list = append(list, backends.Pair{Source: source, Target: answer})
	}
	g, err := program.OpenGrader("x", []string{"python3", "grade_tests.py", "50"}, "../../experiments/graders",
		time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := g.Grade(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1, 0, 1, 0} {
		if scores[i] == nil || *scores[i] != want {
			t.Errorf("answer %d: %v, want %v", i, scores[i], want)
		}
	}
}
