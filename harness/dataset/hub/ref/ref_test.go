package ref

import (
	"strings"
	"testing"
)

const mainCommit = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		in    string
		model bool
		want  Ref
		bad   string // in the error
	}{
		{in: "hf:nyu-mll/glue/sst2:train", want: Ref{Dataset, "nyu-mll/glue", "sst2", "train", ""}},
		{in: "hf:wmt/wmt19/de-en:train@refs/pr/3", want: Ref{Dataset, "wmt/wmt19", "de-en", "train", "refs/pr/3"}},
		{in: "hf:rajpurkar/squad", want: Ref{Dataset, "rajpurkar/squad", "", "", ""}},
		{in: "hf:squad:validation", want: Ref{Dataset, "squad", "", "validation", ""}},
		{in: "hf:cais/mmlu/all:auxiliary_train@" + mainCommit,
			want: Ref{Dataset, "cais/mmlu", "all", "auxiliary_train", mainCommit}},
		{in: "hf:wikimedia/wikipedia/20231101.en:train",
			want: Ref{Dataset, "wikimedia/wikipedia", "20231101.en", "train", ""}},
		{in: "hf:google/gemma-3-1b-it@main", model: true,
			want: Ref{Kind: Model, Repo: "google/gemma-3-1b-it", Revision: "main"}},
		{in: "hf:gpt2", model: true, want: Ref{Kind: Model, Repo: "gpt2"}},
		{in: "file:x", bad: "not on the hub"},
		{in: "hf:", bad: "no name"},
		{in: "hf:a/b:", bad: "no split"},
		{in: "hf:a/b@", bad: "no revision"},
		{in: "hf:a/b/:train", bad: "no configuration"},
		{in: "hf:a/b/c/d:train", bad: "no configuration"},
		{in: "hf:../..:train", bad: "no name"},
		{in: "hf:a/b--c", bad: "no name"},
		{in: "hf:a/-b", bad: "no name"},
		{in: "hf:a/b/..:train", bad: "no configuration"},
		{in: "hf:a/b:tr ain", bad: "no split"},
		{in: "hf:a/b:train@../../x", bad: "no revision"},
		{in: "hf:a/b:train@/x", bad: "no revision"},
		{in: "hf:a/b:train@x@y", want: Ref{Dataset, "a/b", "", "train", "x@y"}},
		{in: "hf:" + strings.Repeat("a", 97), bad: "96"},
		{in: "hf:a/b/c", model: true, bad: "want owner/name"},
		{in: "hf:a/b:train", model: true, bad: "no name"},
	} {
		parse := ParseDataset
		if tt.model {
			parse = ParseModel
		}
		got, err := parse(tt.in)
		if (err != nil) != (tt.bad != "") || err != nil && !strings.Contains(err.Error(), tt.bad) || got != tt.want {
			t.Errorf("%q: %+v, %v; want %+v, %q", tt.in, got, err, tt.want, tt.bad)
		}
	}
}

func TestWhatStandsForNoRevision(t *testing.T) {
	for r, want := range map[Ref]string{
		{Kind: Dataset, Repo: "a/b"}:               "refs/convert/parquet",
		{Kind: Model, Repo: "a/b"}:                 "main",
		{Kind: Model, Repo: "a/b", Revision: "v1"}: "v1",
	} {
		if got := r.At(); got != want {
			t.Errorf("%+v is at %q, want %q", r, got, want)
		}
	}
}
