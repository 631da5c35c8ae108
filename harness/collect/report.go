package collect

import (
	"fmt"
	"strings"

	"infnet/backends"
)

// Report says what a run did, one entry per job that was begun.
type Report struct {
	Jobs []JobReport
}

// JobReport counts a job's requests. In a run that was not stopped,
//
//	Total = Had + Shared + Asked + Failed + Earlier
type JobReport struct {
	Model   string // the model's name in the study
	Dataset string
	Path    string // the file of the answers

	Total   int // requests of the job
	Had     int // on disk before
	Shared  int // the same request as an earlier one of this job (equal examples), asked once
	Asked   int // answered in this run, and on disk
	Failed  int // failed in this run, and recorded
	Earlier int // failed in an earlier run and not asked again

	Unreported int // of Asked: their server did not report all tokens, so that cost.Count estimates some
	Odd        int // of Asked: their server stated counts that the call cannot have taken

	Causes map[backends.Cause]int // of Failed and Earlier
	groups groups                 // the same by message
}

// Missing returns how many different requests of the job have no answer.
func (j JobReport) Missing() int { return j.Total - j.Had - j.Shared - j.Asked }

// Causes adds up the failures of all jobs by cause.
func (r Report) Causes() map[backends.Cause]int {
	sum := map[backends.Cause]int{}
	for _, j := range r.Jobs {
		for c, n := range j.Causes {
			sum[c] += n
		}
	}
	return sum
}

// Asked returns how many answers the run brought.
func (r Report) Asked() int {
	n := 0
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
