package spec

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const slurmStudy = `study = "s"
use = ["cluster.toml"]
[[models]]
name = "a"
backend = "simulated"
simulated = { alpha = 2, beta = 1, intercept = 0.2 }
fixed_cost = 1
[[models]]
name = "b"
backend = "simulated"
simulated = { alpha = 2, beta = 1, intercept = 0.2 }
fixed_cost = 2
[[datasets]]
name = "d"
source = "file:d.csv"
task = "classification"
labels = ["x", "y"]
prompt = "{text}"
[[cascades]]
models = ["a", "b"]
[cost]
model = "fixed"
`

const slurmTable = `[slurm]
shards = 16
time = "4h"
gpus = 1
options = ["--partition=gpu"]
setup = ["module load cuda"]
env = ["TEAM"]
`

func slurmOf(t *testing.T, study, catalog, over string) (*Study, error) {
	t.Helper()
	fsys := fstest.MapFS{"study.toml": {Data: []byte(study)}, "cluster.toml": {Data: []byte(catalog)},
		"over.toml": {Data: []byte(over)}, "d.csv": {Data: []byte("text,label\n")}}
	o := Options{}
	if over != "" {
		o.Use = []string{"over.toml"}
	}
	return LoadFS(fsys, "study.toml", o)
}

func TestSlurm(t *testing.T) {
	one := 1
	want := Slurm{Shards: 16, Time: 4 * time.Hour, GPUs: &one, Setup: []string{"module load cuda"},
		Options: []string{"--partition=gpu"}, Env: []string{"TEAM"}}
	plain, err := slurmOf(t, slurmStudy, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := plain.Cluster(); got.Shards != 1 || got.GPUs != nil || plain.Slurm != nil {
		t.Errorf("nothing said: %+v", got)
	}
	for _, test := range []struct{ name, study, catalog, over string }{
		{name: "in the study", study: slurmStudy + slurmTable},
		{name: "in a catalog", study: slurmStudy, catalog: slurmTable},
		{name: "the study over its catalog", study: slurmStudy + slurmTable, catalog: "[slurm]\nshards = 3\n"},
		{name: "--use over the study", study: slurmStudy + "[slurm]\nshards = 3\n", over: slurmTable},
	} {
		s, err := slurmOf(t, test.study, test.catalog, test.over)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if diff := cmp.Diff(want, s.Cluster()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if s.Hash != plain.Hash {
			t.Errorf("%s: the study's hash depends on [slurm]", test.name)
		}
		if diff := cmp.Diff([]string{"TEAM"}, s.Env); diff != "" {
			t.Errorf("%s: variables %s", test.name, diff)
		}
	}
}
