package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/fault"
	"infnet/harness/pipeline"
	"infnet/harness/slurm"
)

// statusCommand says how far a submitted study is.
type statusCommand struct {
	studyFlags
	Shards *int `help:"Count by N shards, where nothing was submitted." placeholder:"N"`
}

func (c *statusCommand) Run(ctx context.Context, s *streams) error {
	if err := checkShards(c.Shards); err != nil {
		return err
	}
	st, err := c.open(ctx, s, pipeline.Hub{Access: pipeline.Optional, Why: asksNobody})
	if err != nil {
		return err
	}
	jobs, err := slurm.Jobs(slurmFolder(st.Out()))
	if err != nil {
		return err
	}
	of := map[string]int{}
	for _, j := range jobs {
		of[j.Model] = j.Of // of the newest
	}
	tallies, err := pipeline.Tallies(ctx, st.Study, func(m string) int {
		switch {
		case c.Shards != nil:
			return *c.Shards
		case of[m] > 0:
			return of[m]
		}
		return st.Spec.Cluster().Shards
	}, false)
	if err != nil {
		return err
	}
	st.screen.wait()
	var states []slurm.State
	accounting := false
	said := ""
	switch {
	case len(jobs) == 0:
		said = "No job was submitted: infnet slurm submit does."
	default:
		var newest []slurm.Job // the last one of each model, and the last analysis
		for i, j := range jobs {
			if !slices.ContainsFunc(jobs[i+1:], func(later slurm.Job) bool { return later.Model == j.Model }) {
				newest = append(newest, j)
			}
		}
		if states, accounting, err = slurm.States(ctx, newest); err != nil {
			said = "The states of the jobs are not known: " + err.Error()
		} else if !accounting {
			said = "This cluster keeps no accounting (sacct): how a job ended is read at the end of its log."
		}
	}
	if err := printColumns(s.out, statusLines(tallies, states)); err != nil {
		return err
	}
	showSums(s.out, st, tallies)
	showFailed(s.out, states)
	if said != "" {
		fmt.Fprintln(s.out, said)
	}
	return nil
}

// statusLines is the table: a line for each shard and for the last job.
func statusLines(tallies []pipeline.ModelShards, states []slurm.State) [][]string {
	lines := [][]string{{"MODEL", "SHARD", "ANSWERS", "MISSING", "FAILED", "JOB", "STATE", "TIME", "NODE"}}
	shown := map[int]bool{}
	job := func(model string, shard, of int) []string {
		for i, st := range states {
			if st.Job.Model == model && st.Shard == shard && (st.Job.Of == of || shard == 0) {
				shown[i] = true
				return stateCells(st)
			}
		}
		return []string{"", "", "", ""}
	}
	for _, m := range tallies {
		for i, t := range m.Shards {
			missing := strconv.Itoa(t.Calls)
			if m.Unknown || m.Unasked {
				missing = unknown
			}
			lines = append(lines, append([]string{m.Model, fmt.Sprintf("%d/%d", i+1, len(m.Shards)), strconv.Itoa(t.OnDisk),
				missing, strconv.Itoa(t.Earlier)}, job(m.Model, i+1, len(m.Shards))...))
		}
	}
	for i, st := range states { // the embedder, the scorer, and the last job
		if shown[i] {
			continue
		}
		name, shard := st.Job.Model, fmt.Sprintf("%d/%d", st.Shard, st.Job.Of)
		if name == "" {
			name, shard = "analysis", ""
		}
		lines = append(lines, append([]string{name, shard, "", "", ""}, stateCells(st)...))
	}
	return lines
}

func stateCells(st slurm.State) []string {
	word := st.Word
	if !st.Live && st.Code > 0 {
		word += fmt.Sprintf(" (exit code %d)", st.Code)
	} else if word == "ENDED" && st.Code == 0 {
		word = "COMPLETED"
	}
	number := st.Job.ID
	if st.Shard > 0 {
		number = fmt.Sprintf("%s_%d", number, st.Shard)
	}
	return []string{number, word, st.Elapsed, st.Where}
}

// showSums says what the whole study has and lacks.
func showSums(w io.Writer, st *study, tallies []pipeline.ModelShards) {
	total, there, failed, missing := 0, 0, 0, 0
	for _, m := range tallies {
		for _, t := range m.Shards {
			total, there, failed, missing = total+t.Total, there+t.OnDisk, failed+t.Earlier, missing+t.Calls
		}
	}
	fmt.Fprintf(w, "%d of %d answers are in %s; %d missing, %d failed.\n", there, total, st.Store(), missing, failed)
}

// showFailed names the logs of jobs that ended badly.
func showFailed(w io.Writer, states []slurm.State) {
	const most = 5
	n := 0
	for _, st := range states {
		if st.Live || st.Word == "COMPLETED" || st.Word == "ENDED" && st.Code == 0 {
			continue
		}
		if n++; n > most {
			continue
		}
		path := st.Job.LogOf(st.Shard)
		if _, err := os.Stat(path); err != nil {
			prose(w, "No log %s: the job was ended before it began, or its node does not share this folder.\n", path)
			continue
		}
		fmt.Fprintf(w, "See %s\n", path)
	}
	if n > most {
		fmt.Fprintf(w, "and %d more that did not end well.\n", n-most)
	}
}

// cancelCommand cancels the jobs of a study, and no others.
type cancelCommand struct {
	studyFlags
}

func (c *cancelCommand) Run(ctx context.Context, s *streams) error {
	loaded, err := c.load()
	if err != nil {
		return err
	}
	out := cmp.Or(c.Out, runFolder(loaded))
	jobs, err := slurm.Jobs(slurmFolder(out))
	if err == nil && len(jobs) == 0 {
		return fault.Usage.Wrap(fmt.Errorf("the study %s has no jobs: %s does not exist; --out names the folder it was "+
			"submitted with", loaded.Name, slurm.JobsFile(slurmFolder(out))))
	}
	if err != nil {
		return err
	}
	states, _, err := slurm.States(ctx, jobs)
	if err != nil {
		return fmt.Errorf("cancel the jobs of the study %s: %w", loaded.Name, err)
	}
	live, told, ids := map[string]bool{}, 0, []string(nil)
	for _, st := range states {
		live[st.Job.ID] = live[st.Job.ID] || st.Live
	}
	for _, j := range jobs {
		if ids = append(ids, j.ID); !live[j.ID] {
			continue
		}
		if err := slurm.Cancel(ctx, j); err != nil {
			return fmt.Errorf("cancel job %s: %w", j.ID, err)
		}
		what := "the analysis"
		if j.Model != "" {
			what = "the shards of " + clean(j.Model)
		}
		fmt.Fprintf(s.out, "job %s is cancelled: %s\n", j.ID, what)
		told++
	}
	if told == 0 {
		fmt.Fprintf(s.out, "Nothing to cancel: none of the study's jobs is queued or runs (%s).\n",
			strings.Join(ids, ", "))
		return nil
	}
	fmt.Fprintln(s.out, "What they collected stays; infnet slurm submit goes on from there.")
	return nil
}
