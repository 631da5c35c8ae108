package slurm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"infnet/harness/regular"
)

// Job is a submitted job. One is an array of shards of a model, or the last job.
type Job struct {
	ID    string `json:"id"` // a number
	Name  string `json:"name"`
	Model string `json:"model,omitempty"` // "" = the last job
	Tasks []int  `json:"tasks,omitempty"` // shards, from 1
	Of    int    `json:"of,omitempty"`
	Log   string `json:"log"` // %A is the number of the job, %a that of the shard
}

// LogOf is the log of a shard, or of the last job.
func (j Job) LogOf(shard int) string {
	dir, name := filepath.Split(j.Log)
	return dir + strings.NewReplacer("%A", j.ID, "%a", fmt.Sprint(shard)).Replace(name)
}

// jobsFile lists the jobs of a study, a line each, the oldest first.
const jobsFile = "jobs.jsonl"

// JobsFile is the list of the jobs in a folder.
func JobsFile(folder string) string { return filepath.Join(folder, jobsFile) }

// Remember adds a job to the list, so that it can be found even if the submission goes no further.
func Remember(folder string, j Job) error {
	line, err := json.Marshal(j)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(JobsFile(folder), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return fmt.Errorf("note job %s: %w", j.ID, err)
	}
	_, err = f.Write(append(line, '\n'))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Jobs reads the list; where nothing was submitted, it is empty. A line that breaks off is left out.
func Jobs(folder string) (list []Job, err error) {
	data, err := regular.ReadFile(JobsFile(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the list of jobs: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var j Job
		if err := json.Unmarshal(lines.Bytes(), &j); err != nil || !isNumber(j.ID) || j.Name == "" {
			if !bytes.HasSuffix(data, []byte("\n")) && bytes.HasSuffix(data, lines.Bytes()) {
				break // a submission was killed while it wrote
			}
			return nil, fmt.Errorf("%s:%d: no job is written here: delete the line", JobsFile(folder), n)
		}
		list = append(list, j)
	}
	return list, lines.Err()
}
