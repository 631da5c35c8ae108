package spec

import (
	"strings"
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
partition = "gpu"
account = "lab-7"
shards = 16
time = "4h"
gpus = 1
setup = ["module load cuda"]
env = ["TEAM"]
[slurm.models.b]
gpus = 4
time = "48h"
[slurm.analysis]
partition = "cpu"
memory = "32G"
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
	want := Slurm{Account: "lab-7", Warning: 3 * time.Minute, Requeues: 3, Setup: []string{"module load cuda"},
		Env:   []string{"TEAM"},
		Shard: SlurmJob{Partition: "gpu", Shards: 16, Time: 4 * time.Hour, GPUs: 1},
		Models: map[string]SlurmJob{
			"b": {Partition: "gpu", Shards: 16, Time: 48 * time.Hour, GPUs: 4}},
		Analysis: SlurmJob{Partition: "cpu", Shards: 1, Memory: "32G"}}
	plain, err := slurmOf(t, slurmStudy, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := plain.Cluster(); got.Shard != (SlurmJob{Shards: 1, GPUs: -1}) || got.Requeues != 3 || plain.Slurm != nil {
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
		if s.Cluster().Of("a") != want.Shard || s.Cluster().Of("b").GPUs != 4 {
			t.Errorf("%s: of a %+v", test.name, s.Cluster().Of("a"))
		}
	}
}

func TestSlurmMistakes(t *testing.T) {
	for _, test := range []struct{ table, want string }{
		{"partition = \"gpu; rm -rf /\"", `slurm.partition: "gpu; rm -rf /" is no name that Slurm knows`},
		{"partition = \"-x\"", `"-x" is no name that Slurm knows`},
		{"account = \"a\\n#SBATCH --wrap=x\"", "slurm.account"},
		{"shards = 0", "0 is outside 1 to 1000"},
		{"shards = 1001", "1001 is outside 1 to 1000"},
		{"requeues = -1", "-1 is outside 0 to 100"},
		{"time = \"20s\"", "20s is less than a minute"},
		{"time = \"3m\"", "a shard is to stop 3m0s before its time limit, which is 3m0s"},
		{"time = \"-1h\"", `"-1h" is no duration above zero`},
		{"time = \"forever\"", `"forever" is no duration`},
		{"memory = \"lots\"", `"lots" is no amount of memory`},
		{"options = [\"x\"]", `"x" is no option of sbatch`},
		{"options = [\"--array=1-3\"]", "infnet sets --array itself"},
		{"options = [\"-d afterok:1\"]", "infnet sets -d itself"},
		{"setup = [\"a\\nb\"]", "is no line"},
		{"setup = [\" \"]", "is no line"},
		{"setup = [\"export K=sk-abcdefghijklmnopqrstuvwxyz0123456789\"]", "this looks like a secret"},
		{"env = [\"sk-abcdefghijklmnopqrstuvwxyz0123456789\"]", "this looks like a secret itself"},
		{"env = [\"A=B\"]", "this is no name of an environment variable"},
		{"[slurm.models.c]\ngpus = 1", `no model is called "c"`},
		{"[slurm.models.a]\nshard = 1", `did you mean "shards"?`},
		{"[slurm.analysis]\nshards = 2", "unknown key"},
	} {
		_, err := slurmOf(t, slurmStudy+"[slurm]\n"+test.table+"\n", "", "")
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "sk-abc") {
			t.Errorf("%s: error %v, want %q", test.table, err, test.want)
		}
		if err != nil && strings.Contains(err.Error(), "0s is less than a minute") && !strings.Contains(test.want, "20s") {
			t.Errorf("%s: error %v names one mistake twice", test.table, err)
		}
	}
}
