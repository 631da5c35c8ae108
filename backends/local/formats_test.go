package local

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/runtime/number"
	"infnet/backends/runtime/safetensors"
)

// Weights of 16 bits stay so in memory and give the bits of the same weights in
// float32, in every family: classified, generated, alone and in a batch that
// widens panels beforehand.
func TestStoredFormatChangesNoBit(t *testing.T) {
	if testing.Short() {
		t.Skip("asks every family three times")
	}
	reqs := mixed()
	for i := range 20 {
		reqs = append(reqs, backends.Request{Mode: backends.Raw, Prompt: strings.Repeat("so it goes ", i) + "\nAnswer:",
			MaxTokens: 3 + i%4, TopLogprobs: 2})
	}
	for _, family := range append([]string{"tiny"}, families...) {
		t.Run(family, func(t *testing.T) {
			var folder fstest.MapFS
			if family == "tiny" {
				folder = randomFolder(t, studentDims)
			} else {
				folder = readFolder(t, family)
			}
			for format, dtype := range map[number.Format]safetensors.DType{number.BFloat16: safetensors.BF16,
				number.Float16: safetensors.F16} {
				narrow := opened(t, backendtest.Stored(t, folder, format, dtype))
				wide := opened(t, backendtest.Stored(t, folder, format, safetensors.F32))
				if got := narrow.net.Head.Format(); got != format {
					t.Errorf("the head of a %s checkpoint is kept in format %d", dtype, got)
				}
				want, got := ask(t, wide, reqs...), ask(t, narrow, reqs...)
				for i := range reqs {
					if why := backendtest.Differ(want[i], got[i]); why != "" {
						t.Errorf("%s, request %d: %s", dtype, i, why)
					}
					if i%4 != 0 { // a few alone
						continue
					}
					if why := backendtest.Differ(want[i], ask(t, narrow, reqs[i])[0]); why != "" {
						t.Errorf("%s, request %d alone: %s", dtype, i, why)
					}
				}
			}
		})
	}
}

func opened(t *testing.T, fsys fs.FS) *Model {
	t.Helper()
	m, err := OpenFS(fsys, backends.Config{Model: backends.ModelID{ID: "random"},
		Settings: &backends.FolderConfig{Threads: 2}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
