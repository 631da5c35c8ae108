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

	Unreported int // of Asked: their server did not report all tokens, so that cost.Count estimates some
	Odd        int // of Asked: their server stated counts that the call cannot have taken

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
	Count          int      // requests without an answer
	First          []string // ids of the first few examples
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
		fmt.Fprintf(&b, " %d of %s on %s", m.Count, m.Model, m.Dataset)
		if len(m.First) > 0 {
			fmt.Fprintf(&b, " (first: %s)", strings.Join(m.First, ", "))
		}
		b.WriteByte(';')
	}
	b.WriteString(" run without --offline, or name the store that has them with --store")
	return b.String()
}
