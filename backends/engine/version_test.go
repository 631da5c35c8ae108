package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infnet/backends"
)

// What programs print: vLLM 0.32 with a warning before its version, llama.cpp on standard error, Ollama with and
// without a server.
func TestVersion(t *testing.T) {
	for _, tt := range []struct {
		name    string
		engine  backends.Engine
		prints  string // a shell script
		version string
		old     string
		fails   string
	}{
		{name: "vllm", engine: backends.VLLM, prints: "echo 0.32.0", version: "0.32.0"},
		{name: "vllm with a warning", engine: backends.VLLM, version: "0.32.0",
			prints: "echo 'INFO 11-22 07:12:33 [__init__.py:247] No platform detected' >&2; sleep 0.1; echo 0.32.0+cpu"},
		{name: "a development version", engine: backends.VLLM, prints: "echo 0.11.1rc4.dev12+g1234567", version: "0.11.1"},
		{name: "an old one", engine: backends.VLLM, prints: "echo 0.9.2", version: "0.9.2", old: "0.10.0 or newer"},
		{name: "llama.cpp", engine: backends.LlamaServer, version: "6710",
			prints: "echo 'version: 6710 (abcdef12)' >&2; echo 'built with cc (Debian 12.2.0-14) 12.2.0 for " +
				"x86_64-linux-gnu' >&2"},
		{name: "ollama", engine: backends.Ollama, prints: "echo 'ollama version is 0.13.0'", version: "0.13.0"},
		{name: "ollama that runs nowhere", engine: backends.Ollama, version: "0.12.3", old: "0.12.11 or newer",
			prints: "echo 'Warning: could not connect to a running Ollama instance'; echo 'Warning: client version is 0.12.3'"},
		{name: "broken", engine: backends.VLLM, prints: "echo 'ModuleNotFoundError: No module named vllm' >&2; exit 1",
			fails: "exit status 1: ModuleNotFoundError"},
		{name: "says nothing", engine: backends.VLLM, prints: "exit 0"},
		{name: "not asked", engine: backends.SGLang, prints: "exit 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "program")
			if err := os.WriteFile(path, []byte("#!/bin/sh\n"+tt.prints+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			version, old, err := Version(t.Context(), &backends.Launch{Engine: tt.engine}, path)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("error %v, want %q in it", err, tt.fails)
				}
				return
			}
			if err != nil || version != tt.version || !strings.Contains(old, tt.old) || (old == "") != (tt.old == "") {
				t.Errorf("%q, %q, %v; want %q, %q", version, old, err, tt.version, tt.old)
			}
		})
	}
}

// A program of Python is not run where its folder names its version.
func TestVersionOfAFolder(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "bin", "vllm")
	for _, dir := range []string{"bin", "lib/python3.12/site-packages/vllm-0.32.0+cpu.dist-info",
		"lib/python3.12/site-packages/vllm_cpu-0.1.0.dist-info"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "vllm")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{path, link} {
		if version, old, err := Version(t.Context(), &backends.Launch{Engine: backends.VLLM}, program); version != "0.32.0" ||
			old != "" || err != nil {
			t.Errorf("%s: %q, %q, %v", program, version, old, err)
		}
	}
}

func TestOlder(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"0.9.2", "0.10.0", true}, {"0.10.0", "0.9.2", false}, {"0.10", "0.10.0", false}, {"0.10.0", "0.10", false},
		{"570.86.15", "580", true}, {"580.95.05", "580", false}, {"580", "580.1", true}, {"", "1", true},
	} {
		if got := Older(tt.a, tt.b); got != tt.want {
			t.Errorf("Older(%q, %q) = %v", tt.a, tt.b, got)
		}
	}
}
