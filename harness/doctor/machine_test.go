package doctor

import (
	"errors"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/backends/engine/gpu"
	"infnet/harness/dataset/hub"
)

// Findings about the machine: what is wrong is said with its fix, what is not known is not said to be fine.
func TestMachine(t *testing.T) {
	const gb = int64(1_000_000_000)
	vllm := &backends.Launch{Engine: backends.VLLM}
	h100 := gpu.Device{Name: "NVIDIA H100 80GB HBM3", UUID: "GPU-0", Total: 80 << 30}
	two := gpu.Machine{Devices: []gpu.Device{h100, h100}}
	small := backends.Shape{Hidden: 1152, Layers: 26, Heads: 4, HeadDim: 256, KVHeads: 1, FeedForward: 6912,
		Vocabulary: 262144, Gated: true} // Gemma 3 1B, by its config.json
	absent := gpu.Machine{Why: "nvidia-smi is not on the PATH", Fix: "install the driver"}
	gated := &hub.GatedError{Page: "https://huggingface.co/google/gemma-3-1b-it"}
	lacks := hub.Held{Lacks: "nothing is in the cache"}
	const name, commit = "google/gemma-3-1b-it", "dcc83ea841ab6100d6b47a070329e1ba4cf78752"
	for _, tt := range []struct {
		name  string
		found []backends.Finding
		want  []string // "verdict question: part of what was found → part of the fix"
	}{
		{name: "GPU", found: GPUs(gpu.Machine{Devices: []gpu.Device{h100}, Driver: "580.95.05"}, true),
			want: []string{"0 GPU: 1 GPU: GPU 0 (NVIDIA H100", "0 driver: 580.95.05: runs engines"}},
		{name: "driver for CUDA 12", found: GPUs(gpu.Machine{Devices: []gpu.Device{h100}, Driver: "570.86.15"}, true),
			want: []string{"0 GPU", "2 driver: none for CUDA 13 → install driver 580"}},
		{name: "old driver", found: GPUs(gpu.Machine{Devices: []gpu.Device{h100}, Driver: "470.1"}, true),
			want: []string{"0 GPU", "3 driver: runs nothing → install driver 580"}},
		{name: "no GPU", found: GPUs(absent, true),
			want: []string{"3 GPU: no GPU: nvidia-smi is not on the PATH → install the driver"}},
		{name: "no GPU, and none is wanted", found: GPUs(absent, false), want: []string{"0 GPU: no GPU"}},
		{name: "nvidia-smi fails", found: GPUs(gpu.Machine{Why: "no answer in 20s", Fix: "look at dmesg"}, true),
			want: []string{"3 GPU: no answer in 20s → look at dmesg"}},
		{name: "engine", found: []backends.Finding{Engine(vllm, "/bin/vllm", "0.32.0", "", nil)},
			want: []string{"0 engine: /bin/vllm 0.32.0"}},
		{name: "no engine", found: []backends.Finding{Engine(vllm, "", "", "", nil)},
			want: []string{"3 engine: vllm is not on the PATH → pip install vllm"}},
		{name: "old engine", found: []backends.Finding{Engine(vllm, "/bin/vllm", "0.9.0", "0.10.0 is needed", nil)},
			want: []string{"3 engine: vllm 0.9.0 is too old: 0.10.0 is needed → pip install vllm"}},
		{name: "broken engine", found: []backends.Finding{Engine(vllm, "/bin/vllm", "", "", errors.New("no module"))},
			want: []string{"2 engine: does not say its version: no module → run it by hand"}},
		{name: "engine without log-probabilities",
			found: []backends.Finding{Engine(&backends.Launch{Engine: backends.Transformers}, "/bin/transformers", "", "", nil)},
			want:  []string{"0 engine: log-probabilities"}},
		{name: "fits", found: []backends.Finding{Memory(two, gpu.Load{Shape: &small, MaxLength: 512})},
			want: []string{"0 GPU memory: 2 servers"}},
		{name: "may fit", found: []backends.Finding{Memory(two, gpu.Load{Params: 1})},
			want: []string{"2 GPU memory: without the model's shape → shape = "}},
		{name: "cannot fit", found: []backends.Finding{Memory(two, gpu.Load{Params: 200})},
			want: []string{"3 GPU memory: weights and one request alone → gpus = 2"}},
		{name: "size unknown", found: []backends.Finding{Memory(two, gpu.Load{})},
			want: []string{"1 GPU memory: nothing states the model's size"}},
		{name: "too few GPUs", found: []backends.Finding{Memory(two, gpu.Load{Params: 1, GPUs: 3})},
			want: []string{"3 GPU memory: a server needs 3 GPUs, and this machine has 2 GPUs → lower gpus"}},
		{name: "no GPU to compare with", found: []backends.Finding{Memory(absent, gpu.Load{Params: 1})},
			want: []string{"1 GPU memory: no GPU is seen; a server needs"}},
		{name: "weights in a folder", found: Weights{Folder: "/models/x"}.Findings(), want: []string{"0 weights: /models/x"}},
		{name: "weights in the cache",
			found: Weights{Name: name, Revision: commit, Held: hub.Held{Weights: 2 * gb}}.Findings(),
			want:  []string{"0 weights: gemma-3-1b-it@dcc83ea841ab: in the hub's cache, 2.0 GB"}},
		{name: "weights to download", found: Weights{Name: name, Revision: commit, Held: lacks, Size: 2 * gb, Asked: true,
			Token: true}.Findings(),
			want: []string{"1 weights: 2.0 GB to download → hf download google/gemma-3-1b-it --revision dcc83",
				"0 licence: the hub gives them"}},
		{name: "half of the weights", want: []string{"1 weights: not complete, 1.5 GB to download", "0 licence"},
			found: Weights{Name: name, Revision: commit, Held: hub.Held{Weights: gb / 2, Lacks: "not complete"}, Size: 2 * gb,
				Asked: true}.Findings()},
		{name: "by an estimate", found: Weights{Name: name, Revision: commit, Held: lacks,
			About: gpu.Range{Low: 2 * gb, High: 3 * gb}}.Findings(),
			want: []string{"1 weights: 2.0 to 3.0 GB to download", "1 licence: cannot be known without the hub"}},
		{name: "without a size", found: Weights{Name: "owner/x", Held: lacks}.Findings(),
			want: []string{"1 weights: how much is not known → hf download owner/x does", "1 licence"}},
		{name: "gated", found: Weights{Name: name, Revision: commit, Held: lacks, Err: gated}.Findings(),
			want: []string{"1 weights", "3 licence: does not give the weights → accept the conditions, and set HF_TOKEN"}},
		{name: "gated, as far as was known",
			found: Weights{Name: name, Revision: commit, Held: lacks, Gated: true, Err: errors.New("no such host")}.Findings(),
			want:  []string{"1 weights", "1 licence: no such host; when this program was written → set HF_TOKEN"}},
		{name: "enough room", found: []backends.Finding{Disk(gpu.Range{Low: gb, High: 2 * gb}, 0, 3*gb, true, "/hub")},
			want: []string{"0 disk: 1.0 to 2.0 GB to download into /hub; 3.0 GB are free"}},
		{name: "perhaps enough", found: []backends.Finding{Disk(gpu.Range{Low: gb, High: 2 * gb}, 0, gb, true, "/hub")},
			want: []string{"2 disk → set HF_HOME"}},
		{name: "too little room", found: []backends.Finding{Disk(gpu.Range{Low: 2 * gb, High: 2 * gb}, 1, gb, true, "/hub")},
			want: []string{"3 disk: 2.0 GB to download into /hub, and 1 more of unknown size; 1.0 GB are free → free some"}},
		{name: "room unknown", found: []backends.Finding{Disk(gpu.Range{Low: gb, High: gb}, 0, 0, false, "/hub")},
			want: []string{"1 disk: how much is free is not known"}},
		{name: "nothing to download", found: []backends.Finding{Disk(gpu.Range{}, 0, 0, false, "/hub")},
			want: []string{"0 disk: nothing to download"}},
	} {
		if len(tt.found) != len(tt.want) {
			t.Errorf("%s: %d findings, want %d: %+v", tt.name, len(tt.found), len(tt.want), tt.found)
			continue
		}
		for i, want := range tt.want {
			got := tt.found[i]
			rest, fix, _ := strings.Cut(want, " → ")
			head, part, _ := strings.Cut(rest, ": ")
			if line := string(rune('0'+int(got.Verdict))) + " " + got.Question; line != head ||
				!strings.Contains(got.Found, part) || !strings.Contains(got.Fix, fix) || got.Found == "" {
				t.Errorf("%s: finding %d is %s: %s → %s, want %s", tt.name, i, line, got.Found, got.Fix, want)
			}
		}
	}
}
