package slurm

import (
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
	Word    string // PENDING, RUNNING, …; ENDED = it is not queued any more
	Live    bool   // queued or running
	Elapsed string
	Where   string // the node, or why it waits, in parentheses
	Code    int    // with which it ended; -1 = not known
}

// States asks squeue for the jobs. The last line of a job's log says how it ended.
func States(ctx context.Context, jobs []Job) (list []State, err error) {
	live, err := queued(ctx, jobs)
	if err != nil {
		return nil, err
	}
	for _, j := range jobs {
		tasks := j.Tasks
		if len(tasks) == 0 {
			tasks = []int{0}
		}
		for _, shard := range tasks {
			s, ok := live[id{j.ID, shard}]
			if !ok {
				s = State{Word: "ENDED", Code: lastWords(j.LogOf(shard))}
			}
			s.Job, s.Shard = j, shard
			list = append(list, s)
		}
	}
	return list, nil
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
	text, err := run(ctx, "squeue", "--noheader", "--array", "--user="+strconv.Itoa(os.Getuid()),
		"--name="+strings.Join(names, ","), "--format=%F|%K|%T|%M|%R|%j")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		if f := strings.SplitN(strings.TrimSpace(line), "|", 6); len(f) == 6 && slices.Contains(names, f[5]) {
			shard, _ := strconv.Atoi(f[1]) // N/A
			out[id{f[0], shard}] = State{Word: f[2], Live: true, Elapsed: f[3], Where: f[4], Code: -1}
		}
	}
	return out, nil
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
