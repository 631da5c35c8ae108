package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infnet/harness/fault"
	"infnet/harness/pipeline"
	"infnet/harness/pipeline/folder"
	"infnet/harness/slurm"
	"infnet/harness/spec"
	"infnet/harness/store"
)

// submitCommand hands a study to a cluster.
type submitCommand struct {
	Specs  []string `arg:"" name:"spec" help:"The study's TOML file, or \"quickstart\" for the built-in one."`
	DryRun bool     `help:"Print the job scripts; write and submit nothing."`
	Shards *int     `help:"Divide every model's answers into N shards (over [slurm])." placeholder:"N"`
	askedFlags
	RetryFailed bool `help:"Ask again for what failed in an earlier run."`
}

// slurmCommand runs studies on a cluster.
type slurmCommand struct {
	Submit submitCommand `cmd:"" help:"Submit a study: an array of shards per model, and the analysis after them."`
	Status statusCommand `cmd:"" help:"Say how far a study is: answers by model and shard, and its jobs."`
	Cancel cancelCommand `cmd:"" help:"Cancel the jobs of a study, and no others."`
}

// slurmFolder is where a run's job scripts and logs are.
func slurmFolder(out string) string { return filepath.Join(out, folder.Slurm) }

func (c *submitCommand) Run(ctx context.Context, s *streams) error {
	if len(c.Specs) > 1 {
		return fault.Usage.Wrap(fmt.Errorf("submit takes one study, and %d were named (%s): each has jobs of its own, so "+
			"submit them one after the other", len(c.Specs), strings.Join(c.Specs, ", ")))
	}
	if err := checkShards(c.Shards); err != nil {
		return err
	}
	f := &studyFlags{Spec: c.Specs[0], askedFlags: c.askedFlags}
	hub := pipeline.Hub{Access: pipeline.Download}
	if c.DryRun {
		hub = pipeline.Hub{Access: pipeline.Optional, Why: asksNobody}
	}
	st, err := f.open(ctx, s, hub)
	if err != nil {
		return err
	}
	if err := st.Check(); err != nil {
		return err
	}
	sub, err := c.submission(f, st)
	if err != nil {
		return err
	}
	if !c.DryRun {
		if err := notTwice(ctx, sub.Folder); err != nil {
			return err
		}
	}
	return c.submit(ctx, s, st, sub)
}

// submission is what the scripts of all jobs have in common.
func (c *submitCommand) submission(f *studyFlags, st *study) (*slurm.Submission, error) {
	var err error
	abs := func(path string) string {
		out, aerr := filepath.Abs(path)
		if aerr != nil {
			err = aerr
		}
		return out
	}
	sub := &slurm.Submission{Study: st.Spec.Name, Token: slurm.Token(), Cluster: st.Spec.Cluster(),
		Folder: slurmFolder(abs(st.Out())), Work: abs("."), Program: st.Spec.Cluster().Command}
	sub.Probe = filepath.Join(abs(st.Store()), ".submitted-"+sub.Token)
	if len(sub.Program) == 0 {
		program, perr := os.Executable()
		if perr != nil {
			return nil, fmt.Errorf("find this program: %w", perr)
		}
		sub.Program = []string{program}
	}
	name := f.Spec
	if _, serr := os.Stat(name); serr == nil {
		name = abs(name)
	}
	sub.Flags = []string{name, "--store", abs(st.Store()), "--out", abs(st.Out())}
	for _, use := range f.Use {
		sub.Flags = append(sub.Flags, "--use", abs(use))
	}
	for _, role := range slices.Sorted(maps.Keys(f.ModelOverride)) {
		sub.Flags = append(sub.Flags, "--model-override", role+"="+f.ModelOverride[role])
	}
	for _, flag := range []struct {
		text string
		is   bool
	}{{fmt.Sprintf("--limit=%d", f.Limit), f.Limit != 0}, {"--target=" + f.Target, f.Target != ""},
		{"--no-commands", f.NoCommands}, {fmt.Sprintf("--jobs=%d", f.askedFlags.Jobs), f.askedFlags.Jobs != 0}} {
		if flag.is {
			sub.Flags = append(sub.Flags, flag.text)
		}
	}
	if c.RetryFailed {
		sub.Collect = append(sub.Collect, "--retry-failed")
	}
	sub.Export = variables(st.Spec)
	if err == nil {
		err = sub.Check()
	}
	return sub, fault.Usage.Wrap(err)
}

// usual are the environment variables that programs need on any node: their own, and those of shared installations.
var usual = []string{"HOME", "PATH", "USER", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "XDG_CACHE_HOME", "HF_HOME",
	"HF_ENDPOINT", "HF_TOKEN", "HF_HUB_OFFLINE", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy",
	"no_proxy", "BASH_ENV", "MODULEPATH", "MODULESHOME", "LMOD_CMD", "LMOD_PKG"}

// variables lists the variables that jobs get, by name: those that are set here.
func variables(s *spec.Study) (names []string) {
	for _, name := range slices.Concat(usual, s.Env) {
		if _, set := os.LookupEnv(name); set && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return []string{"NONE"} // without names sbatch would export everything
	}
	return names
}

// task is the work of a model whose servers take so many GPUs.
func (c *submitCommand) task(sub *slurm.Submission, model string, gpus int) slurm.Task {
	t := slurm.Task{Model: model, Of: sub.Cluster.Shards, GPUs: gpus}
	if c.Shards != nil {
		t.Of = *c.Shards
	}
	if n := sub.Cluster.GPUs; n != nil {
		t.GPUs = *n
	}
	return t
}

// submit submits the shards that have something to do, and the job after them.
func (c *submitCommand) submit(ctx context.Context, s *streams, st *study, sub *slurm.Submission) error {
	tallies, err := pipeline.Tallies(ctx, st.Study, func(m string) int { return c.task(sub, m, 0).Of }, c.RetryFailed)
	if err != nil {
		return err
	}
	texts, err := pipeline.TextModels(ctx, st.Study)
	if err != nil {
		return err
	}
	st.screen.wait()
	b := &submitter{streams: s, sub: sub, dry: c.DryRun, ctx: ctx}
	if !c.DryRun {
		if err := b.prepare(st.Store()); err != nil {
			return err
		}
	}
	var asked []string
	for _, m := range tallies {
		t := c.task(sub, m.Model, m.GPUs)
		for i, tally := range m.Shards {
			if tally.Calls > 0 || m.Unknown || m.Unasked {
				t.Shards = append(t.Shards, i+1)
			}
		}
		if len(t.Shards) == 0 {
			continue
		}
		id, err := b.array(t, fmt.Sprintf("%d answers missing", m.Missing()))
		if err != nil {
			return b.undo(err)
		}
		asked = append(asked, id)
	}
	if len(asked) == 0 {
		fmt.Fprintln(s.err, "No answer is missing: only the analysis is submitted.")
	}
	last, inside := slices.Clone(asked), []string(nil)
	for _, v := range texts {
		if !v.Apart || len(asked) == 0 && v.Unmade == 0 {
			inside = append(inside, v.Name)
			continue
		}
		t := c.task(sub, v.Name, v.GPUs)
		t.After = asked
		for k := range t.Of {
			t.Shards = append(t.Shards, k+1)
		}
		id, err := b.array(t, "texts of the answers")
		if err != nil {
			return b.undo(err)
		}
		last = append(last, id)
	}
	if _, err := b.hand(slurm.Job{Name: sub.Name(""), Log: sub.Log("", 0)}, sub.Last(inside, last),
		"the analysis"); err != nil {
		return b.undo(err)
	}
	if !c.DryRun {
		fmt.Fprintf(s.out, "Scripts and logs are in %s. infnet slurm status %s shows how far they are.\n", sub.Folder,
			c.Specs[0])
	}
	return nil
}

// submitter submits the jobs of one submission.
type submitter struct {
	*streams
	ctx  context.Context
	sub  *slurm.Submission
	dry  bool
	jobs []slurm.Job
}

// prepare makes the folders and the file that nodes look for.
func (b *submitter) prepare(storeFolder string) error {
	if _, err := slurm.Find("sbatch"); err != nil {
		return fault.Usage.Wrap(err)
	}
	if err := os.MkdirAll(b.sub.Folder, 0o777); err != nil {
		return fault.Store.Wrap(err)
	}
	old, _ := filepath.Glob(filepath.Join(filepath.Dir(b.sub.Probe), ".submitted-*"))
	for _, path := range old[:max(0, len(old)-50)] {
		_ = os.Remove(path)
	}
	return elsewhere(store.WriteFile(b.sub.Probe,
		[]byte("a job of infnet slurm submit looks here whether its node sees the store\n")), "--store")
}

// array submits the shards of a model.
func (b *submitter) array(t slurm.Task, why string) (id string, err error) {
	j := slurm.Job{Name: b.sub.Name(t.Model), Model: t.Model, Tasks: t.Shards, Of: t.Of,
		Log: b.sub.Log(t.Model, t.Of)}
	what := fmt.Sprintf("%s: %d of %d shards (%s)", clean(t.Model), len(t.Shards), t.Of, why)
	return b.hand(j, b.sub.Script(t), what)
}

// hand submits a script, or shows it.
func (b *submitter) hand(j slurm.Job, script, what string) (id string, err error) {
	if b.dry {
		fmt.Fprintf(b.out, "# ---- %s\n%s\n", what, script)
		b.jobs = append(b.jobs, j)
		return fmt.Sprintf("JOB%d", len(b.jobs)), nil
	}
	path := filepath.Join(b.sub.Folder, fmt.Sprintf("%d-%s.sh", len(b.jobs)+1, j.Name))
	if err := store.WriteFile(path, []byte(script)); err != nil {
		return "", err
	}
	if j.ID, err = slurm.Submit(b.ctx, path); err != nil {
		return "", fmt.Errorf("submit %s: %w; the script is %s, and [slurm] says what it asks for", what, err, path)
	}
	b.jobs = append(b.jobs, j)
	fmt.Fprintf(b.out, "job %s  %s\n", j.ID, what)
	return j.ID, fault.Store.Wrap(slurm.Remember(b.sub.Folder, j))
}

// undo cancels what was submitted before an error: without the jobs after it, it is of no use.
func (b *submitter) undo(err error) error {
	for _, j := range b.jobs {
		if b.dry {
			break
		}
		if cerr := slurm.Cancel(context.WithoutCancel(b.ctx), j); cerr != nil {
			return fmt.Errorf("%w; and job %s, which was submitted before, could not be cancelled: %w", err, j.ID, cerr)
		}
		fmt.Fprintf(b.err, "job %s is cancelled\n", j.ID)
	}
	return err
}

// notTwice refuses a submission while jobs of an earlier one are queued or run: they would do the same work.
func notTwice(ctx context.Context, dir string) error {
	jobs, err := slurm.Jobs(dir)
	if _, missing := slurm.Find("squeue"); err != nil || len(jobs) == 0 || missing != nil {
		return err
	}
	states, _, err := slurm.States(ctx, jobs)
	if err != nil {
		return err
	}
	for _, st := range states {
		if st.Live {
			return fault.Usage.Wrap(fmt.Errorf("job %s of this study is %s: infnet slurm status shows it; let it end, or "+
				"end it with infnet slurm cancel, before the study is submitted again", st.Job.ID, strings.ToLower(st.Word)))
		}
	}
	return nil
}
