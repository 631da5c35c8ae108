package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever is not the output of the study's batch is named, with what to do, and nothing good of it is lost.
func TestBatchBadInput(t *testing.T) {
	const n = 20
	mailStudy(t, n)
	infnet(t, ExitOK, "batch", "write", "study.toml")
	outputs := (&provider{server: &loopback{}}).answer(t, "runs/servers/batch")
	dir := "runs/servers/batch"
	good := must(os.ReadFile(outputs[0]))
	lines := strings.SplitAfter(strings.TrimSpace(string(good)), "\n")
	other := strings.Repeat("ab", 32)
	foreign := fmt.Sprintf(`{"custom_id":%q,"response":{"status_code":200,"body":{}},"error":null}`, other)
	for _, test := range []struct {
		name, text string
		code       int
		says       string
		kept       int // answers in the store afterwards
	}{
		{"requests", string(must(os.ReadFile(filepath.Join(dir, "master-001.jsonl")))), ExitData,
			"is a request, and not what came back for one", 0},
		{"the manifest", string(must(os.ReadFile(filepath.Join(dir, "batch.json")))), ExitData, "is no output of a batch", 0},
		{"nothing", "", ExitData, "it is empty", 0},
		{"a table", "id,answer\n1,yes\n", ExitData,
			"none of its 2 lines is about a request; got.jsonl:1: the line is no JSON", 0},
		{"another batch", foreign + "\n", ExitData, "none of the 1 requests in the output is one of the study servers", 0},
		{"no keys", strings.Replace(lines[0], `"custom_id":"`, `"custom_id":"x`, 1), ExitData, "none of the 1 requests", 0},
		{"one of another batch", lines[0] + foreign + "\n", ExitData,
			`1 request is not of the study servers, such as "` + other, 1},
		{"garbage between", lines[1] + "}{\n\n" + lines[2], ExitData, "1 line cannot be read", 3},
		{"cut short", lines[3] + lines[4][:100], ExitData, ":2: the line is no JSON", 4},
		{"no response", lines[5] + `{"custom_id":"` + other + `"}`, ExitData, "has neither a response nor an error", 5},
		{"a member twice", lines[6] + strings.Replace(lines[7], `{"id"`, `{"custom_id":"","id"`, 1), ExitData,
			`line cannot be read`, 6},
		{"a request among replies", lines[7] + strings.SplitAfter(string(must(os.ReadFile(filepath.Join(dir,
			"student-001.jsonl")))), "\n")[0], ExitData, "is a request, and not what came back for one", 7},
		{"no end of line", lines[8] + strings.TrimSpace(lines[9]), ExitOK, "2 answers new", 9},
		{"a byte order mark, carriage returns",
			"\xef\xbb\xbf" + strings.ReplaceAll(lines[10]+lines[11], "\n", "\r\n"), ExitOK,
			"2 answers new", 11},
		{"lines twice", lines[12] + lines[12] + lines[0], ExitOK,
			"1 line is about a request that an earlier line is about", 12},
		{"an error first", "{\"custom_id\":null,\"error\":{\"message\":\"no\"}}\n" + lines[13], ExitData,
			"got.jsonl:1: the line has no custom_id", 13},
	} {
		t.Run(test.name, func(t *testing.T) {
			save(t, "got.jsonl", test.text)
			stdout, stderr := infnet(t, test.code, "batch", "read", "--batch", dir, "got.jsonl")
			if said := stdout + stderr; !strings.Contains(strings.Join(strings.Fields(said), " "), test.says) {
				t.Errorf("it does not say %q:\n%s", test.says, said)
			}
			if got := len(stored(t, "runs/answers")); got != test.kept {
				t.Errorf("%d answers are stored, want %d", got, test.kept)
			}
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Mistakes in what is named: files, folders, studies.
func TestBatchMistakes(t *testing.T) {
	const n = 20
	mailStudy(t, n)
	infnet(t, ExitOK, "batch", "write", "study.toml")
	outputs := (&provider{server: &loopback{}}).answer(t, "runs/servers/batch")
	save(t, "lonely.jsonl", string(must(os.ReadFile(outputs[0]))))
	text := string(must(os.ReadFile("study.toml")))
	edit := func(name, old, now string) string {
		save(t, name, strings.Replace(text, old, now, 1))
		return name
	}
	edit("other.toml", `study = "servers"`, `study = "other"`)
	edit("changed.toml", "Item {item} is {colour}.\\nColour:", "Item {item} is {colour}. Which?")
	save(t, "changed.toml", strings.Replace(string(must(os.ReadFile("changed.toml"))), "Repeat:", "Again, repeat:", 1))
	edit("ids.toml", `labels = "top-logprobs"`, `labels = "token-ids"`)
	edit("time.toml", `model = "price"`, `model = "latency"`)
	for _, test := range []struct {
		name string
		code int
		args []string
		says string
	}{
		{"no file", ExitData, []string{"read", "none.jsonl"}, "none.jsonl: no such file"},
		{"a folder", ExitData, []string{"read", "runs/servers/batch"}, "is a folder, not a regular file: name a file"},
		{"no manifest", ExitUsage, []string{"read", "lonely.jsonl"}, "there is no batch.json in the folder of lonely.jsonl"},
		{"no manifest there", ExitUsage, []string{"read", "lonely.jsonl", "--batch", "runs"},
			"--batch runs: there is no batch.json"},
		{"another study", ExitUsage, []string{"read", outputs[0], "--study", "other.toml"},
			"the batch is of the study servers, and other.toml is the study other"},
		{"a study that changed", ExitData, []string{"read", outputs[0], "--study", "changed.toml"},
			"the study was changed since the batch was written"},
		{"token ids", ExitModel, []string{"write", "ids.toml"}, "needs a running server"},
		{"latency", ExitSpec, []string{"write", "time.toml"}, "which nobody measures in a batch"},
		{"another study's folder", ExitUsage, []string{"write", "other.toml", "--out", "runs/servers/batch"},
			"holds a batch of the study servers"},
		{"nothing to ask by batch", ExitModel, []string{"write", "quickstart", "--limit", "40"}, "can be asked by batch"},
	} {
		t.Run(test.name, func(t *testing.T) {
			stdout, stderr := infnet(t, test.code, append([]string{"batch"}, test.args...)...)
			if said := strings.Join(strings.Fields(stdout+stderr), " "); !strings.Contains(said, test.says) {
				t.Errorf("it does not say %q:\n%s", test.says, stdout+stderr)
			}
			if got := len(stored(t, "runs/answers")); got != 0 {
				t.Errorf("%d answers are stored", got)
			}
		})
	}
	// With the manifest's folder named, and the study's file elsewhere, it is read.
	if err := os.Rename("study.toml", "moved.toml"); err != nil {
		t.Fatal(err)
	}
	_, stderr := infnet(t, ExitUsage, "batch", "read", outputs[0])
	wantIn(t, "a study that is gone", stderr, "is not there", "--study")
	infnet(t, ExitOK, "batch", "read", "lonely.jsonl", "--batch", "runs/servers/batch", "--study", "moved.toml")
}
