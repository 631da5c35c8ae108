package experiments_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/harness/cli"
	"infnet/harness/published"
	"infnet/harness/spec"
)

// commit is what a revision of the hub is pinned by.
var commit = regexp.MustCompile(`^[0-9a-f]{40}$`)

// paperOnGPU loads a study of the paper as a machine with a GPU runs it.
func paperOnGPU(t *testing.T, name string) *spec.Study {
	t.Helper()
	b, err := published.Read(os.DirFS("paper"))
	if err != nil {
		t.Fatal(err)
	}
	o := options(t)
	o.Published, o.Use = b.Labels(), []string{"catalog/gpu.toml"}
	s, err := spec.Load(name, o)
	if err != nil {
		t.Fatalf("%s:\n%v", name, err)
	}
	for _, w := range s.Warnings {
		t.Errorf("%s has a warning: %s", name, w)
	}
	return s
}

// With catalog/gpu.toml every study of the paper has all that a run needs: an engine for each model, weights at a
// commit, a shape to price work by, datasets on the hub, and the parts that run in this process.
func TestThePaperRunsOnAGPU(t *testing.T) {
	specs, err := filepath.Glob("paper/*.toml")
	if err != nil || len(specs) != 17 {
		t.Fatalf("%d studies, %v", len(specs), err)
	}
	for _, name := range specs {
		s, plain := paperOnGPU(t, name), paper(t, name, false)
		if len(s.StandIns) > 0 || len(s.Models) != len(plain.Models) {
			t.Errorf("%s asks other models: %v", name, s.StandIns)
		}
		for _, m := range s.Models {
			c, ok := m.Config.Settings.(*backends.OpenAIConfig)
			if !ok || c.Launch == nil || c.Launch.Engine != backends.VLLM || len(c.URLs) > 0 {
				t.Errorf("%s: nothing starts the servers of %s", name, m.Name)
				continue
			}
			l := c.Launch
			if !commit.MatchString(l.Revision) || !strings.Contains(l.Weights, "/") || m.Shape == nil || m.Params == 0 {
				t.Errorf("%s: %s is %s at %q, shape %v", name, m.Name, l.Weights, l.Revision, m.Shape)
			}
		}
		for _, d := range s.Datasets {
			if d.Source.Scheme != spec.Hub {
				t.Errorf("%s takes %s from %s", name, d.Name, d.Source.Text)
			}
		}
		for _, m := range []*spec.Model{s.Embedder.Model, s.Scorer} {
			if m != nil && (m.Hub == "" || !m.Config.Traits().Local) {
				t.Errorf("%s: %s is neither on the hub nor in this process", name, m.Name)
			}
		}
	}
}

// What can be known without a network and a GPU is planned and examined.
func TestThePaperIsPlannedOffline(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no nvidia-smi
	t.Setenv("HF_HUB_OFFLINE", "1")
	t.Setenv("HF_HOME", t.TempDir())
	t.Setenv("HF_TOKEN", "")
	for _, tt := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{name: "plan of one", args: []string{"plan", "--use", "catalog/gpu.toml", "paper/add_res1.toml"}, code: cli.ExitOK,
			want: []string{"gemma3-12b  agnews", "A run downloads first"}},
		{name: "doctor", args: []string{"doctor", "--use", "catalog/gpu.toml", "paper/add_res16.toml"}, code: cli.ExitModel,
			want: []string{"no GPU is visible: nvidia-smi -L: ", "vllm: pip install vllm"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			args := append(tt.args, "--store", t.TempDir(), "--quiet")
			if code := cli.Run(t.Context(), args, nil, &out, &errOut); code != tt.code {
				t.Fatalf("exit code %d, want %d: %s", code, tt.code, &errOut)
			}
			for _, want := range tt.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in\n%s", want, &out)
				}
			}
		})
	}
}
