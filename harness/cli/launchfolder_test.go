//go:build linux

package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/backends/backendtest/servers"
)

// A model that is started from a folder is known by the folder's content: other weights under the same name are
// asked again, and what only readers read asks nothing. Its shape is that of config.json.
func TestLaunchedFolderIsItsContent(t *testing.T) {
	folder := servers.Folder(t, "../../experiments/models/tiny-student")
	launchStudy(t, 20, "", "")
	replaceIn(t, "study.toml", "id = \"small\"\npath = \""+folder+"\"\n", "id = \"small\"\nrevision = \"1\"\n")
	replaceIn(t, "study.toml", "", "shape = \"gemma3-1b\"\n")
	for _, test := range []struct {
		name, file, more string
		started          []string
	}{
		{"first", "", "", []string{"start small", "stop small", "start large", "stop large"}},
		{"the same again", "", "", nil},
		{"a note for readers", "README.md", "new", nil},
		{"other weights", "model.safetensors", "\x00", []string{"start small", "stop small"}},
		{"another template", "chat_template.jinja", "{{ messages }}", []string{"start small", "stop small"}},
	} {
		if test.file != "" {
			name := filepath.Join(folder, test.file)
			text, err := os.ReadFile(name)
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, append(text, test.more...), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		before := len(happened(t, true))
		_, stderr := infnet(t, ExitOK, "run", "study.toml")
		if got := happened(t, true)[before:]; !slices.Equal(got, test.started) {
			t.Errorf("%s: servers %q, want %q", test.name, got, test.started)
		}
		if strings.Contains(stderr, "states no revision") {
			t.Errorf("%s: %s", test.name, stderr)
		}
	}
	out, _ := infnet(t, ExitOK, "plan", "study.toml")
	// tiny-student has 230 thousand parameters, gemma3-4b 4 billion: 0.0058 %.
	if !strings.Contains(out, "colours: student costs 0.0058 % of master") {
		t.Errorf("the plan does not count the work of tiny-student:\n%s", out)
	}
}

// A network whose shape cannot be read is a mistake where costs are its work, and nowhere else.
func TestLaunchedFolderOfAnUnknownFamily(t *testing.T) {
	launchStudy(t, 20, "", "")
	if err := os.MkdirAll("weights", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"config.json": `{"model_type": "mamba"}`, "model.safetensors": "w"} {
		if err := os.WriteFile(filepath.Join("weights", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	replaceIn(t, "study.toml", "id = \"small\"\npath = \"weights\"\n", "id = \"small\"\nrevision = \"1\"\n")
	replaceIn(t, "study.toml", "", "shape = \"gemma3-1b\"\n")
	replaceIn(t, "study.toml", "[cost]\nmodel = \"tokens\"\n[collect]", "[collect]")
	infnet(t, ExitOK, "check", "study.toml")
	replaceIn(t, "study.toml", "model = \"tflops\"", "model = \"tokens\"")
	_, stderr := infnet(t, ExitSpec, "check", "study.toml")
	for _, want := range []string{"model_type \"mamba\" is not supported", "study.toml:", "choose another cost.model"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in: %s", want, stderr)
		}
	}
}
