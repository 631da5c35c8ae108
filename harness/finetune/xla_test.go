//go:build xla

package finetune

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Without a plugin, or with a file that is none, it is said what to do, and
// nothing is fetched: the home folder, where an installer would put it, stays empty.
func TestPluginComesFromAPath(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	text := filepath.Join(home, "text.so")
	if err := os.WriteFile(text, []byte("no library"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, path, want string }{
		{name: "none", want: "set INFNET_XLA_PLUGIN to the file of one"},
		{name: "missing", path: filepath.Join(home, "nothing.so"), want: "INFNET_XLA_PLUGIN: "},
		{name: "a folder", path: home, want: "INFNET_XLA_PLUGIN: "},
		{name: "no library", path: text, want: "INFNET_XLA_PLUGIN: " + text},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(pluginVariable, tt.path)
			if _, err := openExecutor(arch{}, 1); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	left, err := os.ReadDir(home)
	if err != nil || len(left) != 1 {
		t.Errorf("the home folder holds %v (%v)", left, err)
	}
}
