// Package gputest puts a fake nvidia-smi on the PATH of a test. It owns the text that real ones print; it
// refuses to be used outside tests. Its opinion: no test depends on the GPUs of the machine it runs on.
package gputest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Fake is what an nvidia-smi prints and how it ends. The zero Fake lists no GPU.
type Fake struct {
	Query string // of --query-gpu, in csv without header and units
	Error string // on standard error
	Code  int    // exit code
	Hang  bool   // it never ends by itself
}

// Install makes the fake the nvidia-smi of the test, and unsets the variables that hide GPUs.
func Install(t testing.TB, f Fake) {
	t.Helper()
	write(t, f)
	unset(t)
}

// None leaves no nvidia-smi on the PATH; nothing else of it is there either.
func None(t testing.TB) {
	t.Helper()
	t.Setenv("PATH", t.TempDir())
	unset(t)
}

func unset(t testing.TB) {
	for _, name := range []string{"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"} {
		t.Setenv(name, "") // so that it is restored
		os.Unsetenv(name)
	}
}

// write writes the program and puts its folder first on the PATH.
func write(t testing.TB, f Fake) {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\n"
	if f.Hang {
		script += "exec sleep 600\n"
	}
	script += fmt.Sprintf("case \"$1\" in --query-gpu=*) cat '%s/query' ;; *) exit 2 ;; esac\n", dir)
	script += fmt.Sprintf("cat '%s/error' >&2\nexit %d\n", dir, f.Code)
	for name, text := range map[string]string{"query": f.Query, "error": f.Error, "nvidia-smi": script} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", strings.Join([]string{dir, os.Getenv("PATH")}, string(os.PathListSeparator)))
}
