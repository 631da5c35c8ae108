package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"infnet/harness/collect"
	"infnet/harness/fault"
	"infnet/harness/outcomes"
	"infnet/harness/pipeline"
	"infnet/harness/spec"
)

// Validate refuses flags whose values make no sense whatever the spec says.
// The parser calls it.
func (f *askedFlags) Validate() error {
	return errors.Join(checkJobs(f.Jobs), f.screenFlags.Validate())
}

// Validate refuses the same as for the other commands.
func (c *verifyCommand) Validate() error {
	return errors.Join(checkJobs(c.Jobs), c.screenFlags.Validate())
}

// Validate refuses a number of prompts below none.
func (c *planCommand) Validate() error {
	if c.Show < 0 {
		return fmt.Errorf("--show %d: want a number of prompts from 0", c.Show)
	}
	return c.askedFlags.Validate()
}

// checkJobs checks a number of threads.
func checkJobs(n int) error {
	if n < 0 {
		return fmt.Errorf("--jobs %d: want 1 or more, or 0 for all CPU threads", n)
	}
	return nil
}

// rowLimit is a number of rows that a flag gives over the spec's; 0 = the flag is not there.
type rowLimit int

// UnmarshalText reads a number that a study may have.
func (r *rowLimit) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < spec.FewestRows {
		return fmt.Errorf("%q: %d rows or more are possible; leave it out for what the study says", text, spec.FewestRows)
	}
	*r = rowLimit(n)
	return nil
}

// Validate refuses a heartbeat that goes backwards.
func (f screenFlags) Validate() error {
	if f.Heartbeat < 0 {
		return fmt.Errorf("--heartbeat %v: want a time above 0, or 0 for none", f.Heartbeat)
	}
	return nil
}

// overrideFlags replace models, datasets and servers of a study.
type overrideFlags struct {
	ModelOverride map[string]string `help:"Ask other models in place of a study's, by role (student, master, encoder, embedder, scorer) or name: student=tiny-student,master=tiny-master. Tables say so." mapsep:"," placeholder:"WHO=MODEL"`
	Use           []string          `help:"Catalog whose models, datasets and backends take the place of those of the same name in the study. Several times for several; the last one counts." sep:"none" placeholder:"FILE"`
}

// runsFolder is where results are by default.
const runsFolder = "runs"

// runFolder is the default folder of a study's results. Results of replaced language models go to a
// folder of their own.
func runFolder(s *spec.Study) string {
	name := s.Name
	if s.AsksOthers() {
		name += "-stand-in"
	}
	return filepath.Join(runsFolder, name)
}

// budgetFlags are the spending limits of a run; they override the spec's [collect] budget.
type budgetFlags struct {
	BudgetTokens *int64         `help:"Stop before more than N tokens, in and out, are asked for." placeholder:"N"`
	BudgetCost   *float64       `help:"Stop before tokens of more than this price are asked for, in the currency of the spec's prices." placeholder:"X"`
	BudgetTime   *time.Duration `help:"Begin no call after this time: 90s, 30m, 2h." placeholder:"D"`
}

func (f budgetFlags) limits() spec.Spending {
	return spec.Spending{Tokens: limit(f.BudgetTokens), Cost: limit(f.BudgetCost), Time: limit(f.BudgetTime)}
}

// limit is a flag's value, 0 if it is not given: then the spec's limit applies. A given limit must
// be above 0.
func limit[T int64 | float64 | time.Duration](given *T) T {
	switch {
	case given == nil:
		return 0
	case *given == 0:
		return -1
	}
	return *given
}

// shardFlags are the flags of commands that may do a part of the work.
type shardFlags struct {
	Shard collect.Shard `help:"Collect shard K of N only: what hashes to it, into a file of its own, so that many machines can share the store. run analyses once no answer is missing." placeholder:"K/N"`
}

// checkShards checks a number of shards that a flag gives; nil = it is not there.
func checkShards(n *int) error {
	const most = 1000
	if n != nil && (*n < 1 || *n > most) {
		return fault.Usage.Wrap(fmt.Errorf("--shards %d: from 1 to %d are possible; leave it out for what the study says", *n,
			most))
	}
	return nil
}

// showLeft says what the study lacks after a shard has done its part: answers, or once all are there, what is made of
// their texts.
func showLeft(w io.Writer, shard collect.Shard, only []string, left pipeline.Plan) {
	var lines []string
	add := func(model, of string, n, all int) {
		if n > 0 {
			lines = append(lines, fmt.Sprintf("  %-20s %-20s %d of %d\n", clean(model), clean(of), n, all))
		}
	}
	for _, j := range left.Jobs {
		add(j.Model, j.Dataset, j.Calls, j.Total-j.Shared)
	}
	if len(lines) == 0 {
		for _, d := range left.Derived {
			add(d.Model, d.What, d.Missing, d.OnDisk+d.Missing)
		}
	}
	switch {
	case len(lines) > 0:
		prose(w, "Shard %v is done. The study is not analysed before all shards are; missing in the store now:\n", shard)
		fmt.Fprint(w, strings.Join(lines, ""))
		fmt.Fprintln(w, "infnet run without --shard collects whatever is still missing, and analyses.")
	case len(only) > 0:
		fmt.Fprintf(w, "Shard %v is done, and nothing of %s is missing.\n", shard, clean(strings.Join(only, ", ")))
	default:
		fmt.Fprintf(w, "Shard %v is done, and nothing is missing: infnet analyze makes the tables.\n", shard)
	}
}

// columnFlags name the columns of a log; other columns are recognised by name.
type columnFlags struct {
	Confidence string `help:"Column of the student's confidence in [0,1]. Default: confidence, beta or score." placeholder:"COL"`
	Class      string `help:"Column of the class the student chose. Default: class, label or prediction, where there is one." placeholder:"COL"`
	Single     bool   `help:"One threshold for all: leave classes out, also where there is a column of them."`
	Student    string `help:"Column that says whether the student is right (1, 0, true, false), its score in [0,1], or with a reference its answer. Default: student, student_correct, …" placeholder:"COL"`
	Master     string `help:"The same of the master. Default: master, master_correct, …" placeholder:"COL"`
	Reference  string `help:"Column of the right answer: answers equal to it are right. Default, where student holds answers: reference, gold or answer." placeholder:"COL"`
	Soft       bool   `help:"Read the student's and the master's column as scores in [0,1]; the error is 1 less the score. Default where a score is neither 0 nor 1 and no reference is at hand."`
	ID         string `help:"Column of the query's id, by which records are drawn. Default: id, query_id or record_id, else the row number." placeholder:"COL"`
	Group      string `help:"Column of what queries share (a passage, a conversation): their rows stay together. Default: group, cluster or source, where there is one." placeholder:"COL"`
}

// columns converts the flags for package outcomes.
func (f *columnFlags) columns() outcomes.Columns {
	return outcomes.Columns{
		Confidence: f.Confidence, Class: f.Class, Student: f.Student, Master: f.Master, Reference: f.Reference,
		ID: f.ID, Group: f.Group, Single: f.Single, Soft: f.Soft,
	}
}

// sayLog reports what was found out about a log, one sentence at a time.
func sayLog(recognised []string, say func(string)) {
	if len(recognised) > 0 {
		say(clean(fmt.Sprintf("Columns recognised: %s.", strings.Join(recognised, ", "))))
	}
}
