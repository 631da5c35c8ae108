package collect

import (
	"fmt"
	"strings"
)

// Report says what a run did, one entry per job that was begun.
type Report struct {
	Jobs []JobReport
}

// JobReport counts a job's requests. In a run that was not stopped,
//
//	Total = OnDisk + Shared + Asked + Failed + Earlier
type JobReport struct {
	Model   string // the model's name in the study
	Dataset string
	Path    string // the file of the answers
	Counts         // before the run

	Asked  int // answered in this run, and on disk
	Failed int // failed in this run, and recorded

	groups groups // of Failed and Earlier
}

// Missing returns how many different requests of the job have no answer.
func (j JobReport) Missing() int { return j.Earlier + j.Calls - j.Asked }

// Asked returns how many answers the run brought.
func (r Report) Asked() (n int) {
	for _, j := range r.Jobs {
		n += j.Asked
	}
	return n
}

// Missing says which answers of one job an offline run lacks.
type Missing struct {
	Model, Dataset string
	Count          int // requests without an answer
}

// MissingError is the error of an offline run that would have had to call a
// model. Callers may branch on it to choose an exit code.
type MissingError struct {
	Missing []Missing
}

func (e *MissingError) Error() string {
	var b strings.Builder
	b.WriteString("offline, and not on disk:")
	for _, m := range e.Missing {
		fmt.Fprintf(&b, " %d of %s on %s;", m.Count, m.Model, m.Dataset)
	}
	b.WriteString(" run without --offline, or name the store that has them with --store")
	return b.String()
}
