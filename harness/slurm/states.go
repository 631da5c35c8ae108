package slurm

import (
	"cmp"
	"context"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// State is what Slurm says of one job, or of one of an array.
type State struct {
	Job     Job
	Shard   int    // 0 = the last job
	Word    string // PENDING, RUNNING, COMPLETED, …; ENDED = Slurm does not know it any more
	Live    bool   // queued or running
	Elapsed string
	Where   string // the node, or why it waits, in parentheses
	Code    int    // with which it ended; -1 = not known
}

// States asks squeue for the jobs, and sacct for those that have ended. Where there is no accounting, the
// last line of a job's log says how it ended.
func States(ctx context.Context, jobs []Job) (list []State, accounting bool, err error) {
	live, err := queued(ctx, jobs)
	if err != nil {
		return nil, false, err
	}
	past, accounting := accounted(ctx, jobs)
	for _, j := range jobs {
		tasks := j.Tasks
		if len(tasks) == 0 {
			tasks = []int{0}
		}
		for _, shard := range tasks {
			key := id{j.ID, shard}
			s, ok := live[key]
			if !ok {
				s, ok = past[key]
			}
			if !ok {
				s = State{Word: "ENDED", Code: -1}
			}
			s.Job, s.Shard = j, shard
			if !s.Live && s.Code < 0 {
				s.Code = lastWords(j.LogOf(shard))
			}
			list = append(list, s)
		}
	}
	return list, accounting, nil
}

// id is the number of a job, and the shard in it.
type id struct {
	job   string
	shard int
}

// queued are the jobs that squeue lists. It is asked for their names: of a number that Slurm has
// forgotten it makes an error, and a number may be another user's job by now.
func queued(ctx context.Context, jobs []Job) (map[id]State, error) {
	out := map[id]State{}
	var names []string
	for _, j := range jobs {
		if !slices.Contains(names, j.Name) {
			names = append(names, j.Name)
		}
	}
	lines, err := table(ctx, "squeue", "--noheader", "--array", "--user="+strconv.Itoa(os.Getuid()),
		"--name="+strings.Join(names, ","), "--format=%F|%K|%T|%M|%R|%j")
	if err != nil {
		return nil, err
	}
	for _, f := range lines {
		if slices.Contains(names, f[5]) {
			shard, _ := strconv.Atoi(f[1]) // N/A
			out[id{f[0], shard}] = State{Word: f[2], Live: true, Elapsed: f[3], Where: f[4], Code: -1}
		}
	}
	return out, nil
}

// table calls a program that prints lines of six fields.
func table(ctx context.Context, program string, args ...string) (lines [][]string, err error) {
	text, err := run(ctx, program, args...)
	for line := range strings.Lines(text) {
		if f := strings.SplitN(strings.TrimSpace(line), "|", 6); len(f) == 6 {
			lines = append(lines, f)
		}
	}
	return lines, err
}

// accounted are the jobs that sacct knows; ok is false where the cluster keeps no accounting.
func accounted(ctx context.Context, jobs []Job) (out map[id]State, ok bool) {
	out = map[id]State{}
	var numbers []string
	for _, j := range jobs {
		numbers = append(numbers, j.ID)
	}
	lines, err := table(ctx, "sacct", "--noheader", "--parsable2", "--allocations", "--jobs="+strings.Join(numbers, ","),
		"--format=JobID,State,ExitCode,Elapsed,NodeList,JobName")
	if err != nil {
		return out, false
	}
	for _, f := range lines {
		job, task, _ := strings.Cut(f[0], "_")
		shard, _ := strconv.Atoi(task)
		if !slices.ContainsFunc(jobs, func(j Job) bool { return j.ID == job && j.Name == f[5] }) {
			continue
		}
		word, _, _ := strings.Cut(f[1], " ") // "CANCELLED by 1000"
		code, _, _ := strings.Cut(f[2], ":")
		n, err := strconv.Atoi(code)
		if err != nil {
			n = -1
		}
		out[id{job, shard}] = State{Word: cmp.Or(word, "ENDED"), Elapsed: f[3], Where: f[4], Code: n}
	}
	return out, true
}

var ended = regexp.MustCompile(`(?m)^infnet: ended with exit code ([0-9]+)$`)

// lastWords is the exit code that the end of a log names; -1 = none, as of a job that was killed.
func lastWords(path string) int {
	f, err := os.Open(path)
	if err != nil {
		return -1
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	const tail = 200
	b := make([]byte, min(info.Size(), tail))
	if _, err := f.ReadAt(b, info.Size()-int64(len(b))); err != nil {
		return -1
	}
	all := ended.FindAllSubmatchIndex(b, -1)
	if len(all) == 0 || strings.TrimSpace(string(b[all[len(all)-1][1]:])) != "" {
		return -1
	}
	m := all[len(all)-1]
	n, _ := strconv.Atoi(string(b[m[2]:m[3]]))
	return n
}
