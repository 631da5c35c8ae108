package slurm

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"infnet/backends/engine"
	"infnet/harness/spec"
)

// hostile are texts that a shell would obey or divide.
var hostile = []string{"plain", "two words", "$(touch x)", "`touch x`", "it's", `"double"`, "a;b&c|d>e<f",
	"#no comment",
	"*", "~", "-n", "", "$HOME", "a\tb", "ä ö", "!x", "{a,b}", "(", "%a"}

func TestShellWords(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not on the PATH")
	}
	out, err := exec.Command(bash, "-c", `printf '%s\0' `+engine.Quoted(hostile...)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(hostile, strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRanges(t *testing.T) {
	for _, test := range []struct {
		list []int
		want string
	}{
		{[]int{1}, "1"}, {[]int{1, 2, 3}, "1-3"}, {[]int{1, 3, 4, 7}, "1,3-4,7"}, {[]int{15, 16}, "15-16"}, {nil, ""},
	} {
		if got := ranges(test.list); got != test.want {
			t.Errorf("%v: %q, want %q", test.list, got, test.want)
		}
	}
}

func TestClock(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "", time.Minute: "0-00:01:00", 90 * time.Second: "0-00:02:00",
		4 * time.Hour: "0-04:00:00", 50 * time.Hour: "2-02:00:00"} {
		if got := clock(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func submission() *Submission {
	return &Submission{Study: "it's", Token: "abcd2345", Program: "/opt/in fnet",
		Flags:  []string{"/home/a b/study.toml", "--store", "/s/$x", "--out", "/o/%j"},
		Folder: "/o/%j/slurm", Work: "/home/a b", Probe: "/s/$x/.submitted-abcd2345", Export: []string{"HOME", "MY_KEY"},
		Cluster: spec.Slurm{Shards: 4, Time: 4 * time.Hour,
			Options: []string{"--partition=gpu,long", "--mem=32G", "--constraint=a100&nvme", "--exclusive"},
			Setup:   []string{"module load cuda"}}}
}

func TestScripts(t *testing.T) {
	s := submission()
	array := s.Script(Task{Model: "big-$(x)", Of: 4, GPUs: 2, Shards: []int{1, 3, 4}, After: []string{"7", "8"}})
	last := s.Last([]string{"mini lm"}, []string{"9"})
	for _, test := range []struct{ script, line string }{
		{array, "#SBATCH --job-name=infnet-it-s-big-x-abcd2345"},
		{array, "#SBATCH --array=1,3-4"},
		{array, "#SBATCH --partition=gpu,long"},
		{array, "#SBATCH --time=0-04:00:00"},
		{array, "#SBATCH --gres=gpu:2"},
		{array, "#SBATCH --mem=32G"},
		{array, "#SBATCH --dependency=afterok:7:8"},
		{array, "#SBATCH --signal=B:USR1@180"},
		{array, "#SBATCH --requeue"},
		{array, "#SBATCH --output=/o/%%j/slurm/big-x.%a-of-4.%A.log"},
		{array, `#SBATCH --constraint="a100&nvme"`},
		{array, "#SBATCH --exclusive"},
		{array, `#SBATCH --chdir="/home/a b"`},
		{array, "#SBATCH --export=HOME,MY_KEY"},
		{array, `command '/opt/in fnet' collect '/home/a b/study.toml' --store '/s/$x' --out /o/%j --quiet ` +
			`--only 'big-$(x)' --shard "$SLURM_ARRAY_TASK_ID/4" &`},
		{last, "#SBATCH --kill-on-invalid-dep=yes"},
		{last, "#SBATCH --output=/o/%%j/slurm/analysis.%A.log"},
		{last, `[ "$code" -ne 0 ] || infnet analyze '/home/a b/study.toml' --store '/s/$x' --out /o/%j --quiet || code=$?`},
	} {
		if !strings.Contains(test.script, "\n"+test.line+"\n") {
			t.Errorf("no line %s", test.line)
		}
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not on the PATH")
	}
	for _, script := range []string{array, last} {
		cmd := exec.Command(bash, "-n")
		cmd.Stdin = strings.NewReader(script)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("bash -n: %v %s", err, out)
		}
	}
}

func TestPathsThatNoScriptHolds(t *testing.T) {
	for _, path := range []string{"/a\nb", "/a\\b", "/a\x1bb"} {
		s := submission()
		s.Folder = path
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), "the run's folder") {
			t.Errorf("%q: %v", path, err)
		}
	}
	if err := submission().Check(); err != nil {
		t.Error(err)
	}
}

// fakes makes programs that print what those of Slurm print.
func fakes(t *testing.T, programs map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

func TestSubmit(t *testing.T) {
	for _, test := range []struct{ name, sbatch, id, fault string }{
		{"a number", "echo 12", "12", ""},
		{"refused", "echo 'sbatch: error: invalid partition specified: nope' >&2; exit 1", "",
			"invalid partition specified: nope"},
		{"silent", "exit 3", "", "exit status 3"},
		{"nonsense", "echo 'Submitted batch job 12'", "", "no number of a job"},
	} {
		fakes(t, map[string]string{"sbatch": test.sbatch})
		id, err := Submit(context.Background(), "x.sh")
		if id != test.id || (err == nil) != (test.fault == "") || err != nil && !strings.Contains(err.Error(), test.fault) {
			t.Errorf("%s: %q, %v", test.name, id, err)
		}
	}
	fakes(t, nil)
	if _, err := Submit(context.Background(), "x.sh"); err == nil ||
		!strings.Contains(err.Error(), "sbatch is not on the PATH") {
		t.Errorf("without sbatch: %v", err)
	}
}

func TestStates(t *testing.T) {
	logs := t.TempDir()
	for name, text := range map[string]string{
		"m.2-of-4.7.log": "x\ninfnet: ended with exit code 5\n",
		"m.3-of-4.7.log": "infnet: ended with exit code 0\nslurmstepd: error: *** JOB 9 ON n1 CANCELLED ***\n",
		"m.4-of-4.7.log": "infnet: ended with exit code 0\n",
	} {
		if err := os.WriteFile(filepath.Join(logs, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	jobs := []Job{{ID: "7", Name: "infnet-s-m-t", Model: "m", Tasks: []int{1, 2, 3, 4}, Of: 4,
		Log: filepath.Join(logs, "m.%a-of-4.%A.log")},
		{ID: "8", Name: "infnet-s-analysis-t", Log: filepath.Join(logs, "a.%A.log")}}
	queue := "echo '7|1|RUNNING|0:07|n1|infnet-s-m-t'\necho '8|N/A|PENDING|0:00|(Dependency)|infnet-s-analysis-t'\n" +
		"echo '8|N/A|RUNNING|0:00|n9|another'\n"
	fakes(t, map[string]string{"squeue": queue})
	states, err := States(context.Background(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range states {
		got = append(got, strings.Join([]string{strconv.Itoa(s.Shard), s.Word, s.Where, strconv.Itoa(s.Code)}, " "))
	}
	want := []string{"1 RUNNING n1 -1", "2 ENDED  5", "3 ENDED  -1", "4 ENDED  0", "0 PENDING (Dependency) -1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestJobs(t *testing.T) {
	dir := t.TempDir()
	if list, err := Jobs(dir); err != nil || len(list) > 0 {
		t.Errorf("no file: %v, %v", list, err)
	}
	want := []Job{{ID: "7", Name: "a", Model: "m", Tasks: []int{1, 4}, Of: 4, Log: "/l/%A/m.%a.%A.log"},
		{ID: "8", Name: "b", Log: "x"}}
	for _, j := range want {
		if err := Remember(dir, j); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Jobs(dir)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if log := got[0].LogOf(4); log != "/l/%A/m.4.7.log" { // the folder's own % stays
		t.Errorf("log %q", log)
	}
	text, _ := os.ReadFile(JobsFile(dir))
	for _, test := range []struct {
		name, text string
		n          int
		fault      string
	}{
		{"broken off", string(text[:len(text)-5]), 1, ""},
		{"damaged", "{}\n" + string(text), 0, "jobs.jsonl:1: no job is written here"},
		{"another's number", `{"id":"-1","name":"a"}` + "\n", 0, "jobs.jsonl:1"},
		{"empty", "", 0, ""},
	} {
		if err := os.WriteFile(JobsFile(dir), []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := Jobs(dir)
		if len(got) != test.n || (err == nil) != (test.fault == "") ||
			err != nil && !strings.Contains(err.Error(), test.fault) {
			t.Errorf("%s: %v, %v", test.name, got, err)
		}
	}
}
