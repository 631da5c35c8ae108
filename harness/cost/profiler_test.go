package cost_test

import (
	"encoding/json"
	"os"
	"testing"

	"infnet/backends"
	"infnet/harness/cost"
)

// PyTorch's profiler counts what FLOPs counts, to the operation, once the three
// terms are taken into account in which one forward pass of the reference
// implementation differs from one query (FLOPS.md): eager attention scores all
// T×T pairs, the output head is applied to every token, and BERT has a pooler.
// testdata/count_flops.py made the numbers; the file names the versions.
func TestFLOPsEqualPyTorchs(t *testing.T) {
	data, err := os.ReadFile("testdata/profiler.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Torch, Transformers string
		Rows                []struct {
			Model   string
			Decoder bool
			Tokens  int
			FLOPs   map[string]float64
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	bert := distil
	bert.Layers = 12
	shapes := map[string]backends.Shape{"gemma3-1b": gemma1B, "gemma3-4b": gemma4B, "gemma3-12b": gemma12B,
		"gemma3-27b": gemma27B,
		"qwen3-4b":   qwen4B, "ministral3-3b": ministral, "bert-base": bert, "distilbert": distil}
	seen := map[string]bool{}
	for _, row := range file.Rows {
		s, ok := shapes[row.Model]
		if !ok {
			t.Errorf("no shape of %s", row.Model)
			continue
		}
		seen[row.Model] = true
		// addmm calls mm on the device without memory that the file was made on,
		// which counts both.
		got := max(row.FLOPs["mm"], row.FLOPs["addmm"]) + row.FLOPs["bmm"] + row.FLOPs["baddbmm"]
		completion := 0
		if row.Decoder {
			completion = 1
		}
		want, err := cost.FLOPs(s, row.Tokens, completion)
		if err != nil {
			t.Fatal(err)
		}
		T := float64(row.Tokens)
		if row.Decoder {
			want += 4 * float64(s.Heads*s.HeadDim*s.Layers) * (T*T - T*(T+1)/2)
			want += 2 * float64(s.Hidden) * float64(s.Vocabulary) * (T - 1)
		} else if row.Model == "bert-base" {
			want += 2 * float64(s.Hidden) * float64(s.Hidden)
		}
		if got != want {
			t.Errorf("%s, %d tokens: PyTorch %s counts %.0f, ours with the known differences is %.0f", row.Model, row.Tokens,
				file.Torch, got, want)
		}
		if extra := row.FLOPs["add"] + row.FLOPs["mul"]; extra > 0.006*got {
			t.Errorf("%s, %d tokens: element-wise work is %.2g of the matrix work: FLOPS.md says less than 0.6 %%", row.Model,
				row.Tokens, extra/got)
		}
	}
	if len(seen) != len(shapes) {
		t.Errorf("%d of %d models are in the file", len(seen), len(shapes))
	}
}
