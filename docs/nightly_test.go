package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func workflow(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("ci", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// github is what the test reads of a workflow.
type github struct {
	On struct {
		Schedule []struct{ Cron string }
	}
	Jobs map[string]struct {
		Steps []struct {
			Name, Uses, If, Run string
			With                map[string]any
		}
	}
}

func TestGitHubWorkflow(t *testing.T) {
	var w github
	if err := yaml.Unmarshal(workflow(t, "github.yml"), &w); err != nil {
		t.Fatal(err)
	}
	job := w.Jobs["nightly"]
	if len(w.On.Schedule) != 1 || len(job.Steps) == 0 {
		t.Fatalf("no schedule or no steps: %+v", w)
	}
	uses := map[string]string{} // by action, when it runs
	for _, s := range job.Steps {
		action, version, pinned := strings.Cut(s.Uses, "@")
		if s.Uses != "" && (!pinned || version == "") {
			t.Errorf("%s has no version", s.Uses)
		}
		uses[action] = s.If
		if s.Run != "" {
			shell(t, s.Run)
		}
	}
	for _, action := range []string{"actions/cache/save", "actions/upload-artifact"} {
		if when, there := uses[action]; !there || when != "always()" {
			t.Errorf("%s runs %q, want always(): a night that fails must be kept", action, when)
		}
	}
	lint, err := exec.LookPath("actionlint")
	if err != nil {
		t.Skip("actionlint is not on the PATH")
	}
	if out, err := exec.Command(lint, "-no-color", "ci/github.yml").CombinedOutput(); err != nil {
		t.Errorf("actionlint: %v\n%s", err, out)
	}
}

func TestGitLabPipeline(t *testing.T) {
	var w struct {
		Nightly struct {
			Image        string
			Rules        []struct{ If string }
			BeforeScript []string `yaml:"before_script"`
			Script       []string
			Cache        struct {
				When  string
				Paths []string
			}
			AllowFailure struct {
				ExitCodes []int `yaml:"exit_codes"`
			} `yaml:"allow_failure"`
			Artifacts struct {
				When    string
				Paths   []string
				Reports struct{ Junit string }
			}
		}
	}
	if err := yaml.Unmarshal(workflow(t, "gitlab.yml"), &w); err != nil {
		t.Fatal(err)
	}
	n := w.Nightly
	if n.Image == "" || len(n.Rules) == 0 || !slices.Equal(n.AllowFailure.ExitCodes, []int{6}) {
		t.Errorf("image, rules or allowed codes are missing: %+v", n)
	}
	if n.Cache.When != "always" || n.Artifacts.When != "always" || !slices.Contains(n.Cache.Paths, "runs/history.jsonl") {
		t.Errorf("a night that fails must be kept: %+v", n)
	}
	if n.Artifacts.Reports.Junit != "runs/report/junit.xml" {
		t.Errorf("JUnit XML in %q", n.Artifacts.Reports.Junit)
	}
	shell(t, strings.Join(append(n.BeforeScript, n.Script...), "\n"))
}

// shell checks that a shell reads a script, where there is one.
func shell(t *testing.T, script string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		return
	}
	command := exec.Command(bash, "-n")
	command.Stdin = strings.NewReader(script)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v: %s\n%s", err, out, script)
	}
}
