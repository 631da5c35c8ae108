package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"infnet/harness/collect"
	"infnet/harness/outcomes"
	"infnet/harness/pipeline"
	"infnet/harness/spec"
)

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

// overrideFlags replace models, datasets and servers of a study.
type overrideFlags struct {
	ModelOverride map[string]string `help:"Ask other models in place of a study's, by role (student, master, embedder, learner, scorer) or name: student=tiny-student,master=tiny-master. Tables say so." mapsep:"," placeholder:"WHO=MODEL"`
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

// shardFlags are the flags of commands that may do a part of the work.
type shardFlags struct {
	Shard collect.Shard `help:"Collect shard K of N only: what hashes to it, into a file of its own, so that many machines can share the store. run analyses once no answer is missing." placeholder:"K/N"`
}

// showLeft says what the study lacks after a shard has done its part.
func showLeft(w io.Writer, shard collect.Shard, left pipeline.Plan) {
	prose(w, "Shard %v is done. What the study lacks now, of all shards:\n", shard)
	showPlan(w, left)
	fmt.Fprintln(w, "infnet run without --shard collects whatever is missing, and analyses.")
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
