package gpu

import (
	"strings"
	"testing"

	"infnet/backends"
)

// Shapes of published models, from their config.json on the Hugging Face hub.
var (
	gemma1b = backends.Shape{Hidden: 1152, Layers: 26, Heads: 4, HeadDim: 256, KVHeads: 1, FeedForward: 6912,
		Vocabulary: 262144, Window: 512, GlobalEvery: 6, Gated: true}
	gemma12b = backends.Shape{Hidden: 3840, Layers: 48, Heads: 16, HeadDim: 256, KVHeads: 8, FeedForward: 15360,
		Vocabulary: 262208, Window: 1024, GlobalEvery: 6, Gated: true}
	gemma27b = backends.Shape{Hidden: 5376, Layers: 62, Heads: 32, HeadDim: 128, KVHeads: 16, FeedForward: 21504,
		Vocabulary: 262208, Window: 1024, GlobalEvery: 6, Gated: true}
	llama8b = backends.Shape{Hidden: 4096, Layers: 32, Heads: 32, HeadDim: 128, KVHeads: 8, FeedForward: 14336,
		Vocabulary: 128256, Gated: true}
)

func TestJudge(t *testing.T) {
	gib := int64(1) << 30
	device := func(i int, name string,
		total int64) Device {
		return Device{Index: i, UUID: name, Name: name, Total: total}
	}
	l4 := device(0, "NVIDIA L4", 22*gib)
	h100 := device(0, "NVIDIA H100 80GB HBM3", 80*gib)
	second := h100
	second.Index = 1
	spark := device(0, "NVIDIA GB10", 0)
	for _, tt := range []struct {
		name    string
		devices []Device
		load    Load
		want    Verdict
		servers int
		why     string
		fix     string
	}{
		{name: "1B on 22 GiB", devices: []Device{l4}, load: Load{Shape: &gemma1b, MaxLength: 4096, Concurrency: 16},
			want: Fits, servers: 1, why: "it may take 20.2 GiB of GPU 0 (NVIDIA L4, 22.0 GiB)"},
		{name: "12B on 22 GiB", devices: []Device{l4}, load: Load{Shape: &gemma12b, DType: "bfloat16", MaxLength: 4096},
			want: Doubtful, servers: 1, why: "it fits only if its weights are stored in fewer bits", fix: "gpus = 2"},
		{name: "12B on 22 GiB, with its files", devices: []Device{l4}, load: Load{Shape: &gemma12b, Files: 24_400_000_000,
			MaxLength: 4096}, want: Cannot, why: "weights and one request alone need", fix: "gpus = 2"},
		{name: "8 bits by its name", devices: []Device{l4}, load: Load{Shape: &gemma12b, Name: "x/gemma-3-12b-it-FP8-dynamic",
			MaxLength: 4096}, want: Doubtful, servers: 1, why: "weights 11.0 to 15.5 GiB", fix: "try it"},
		{name: "files of 32 bits", devices: []Device{l4}, load: Load{Shape: &gemma1b, Files: 4_000_000_000, MaxLength: 512},
			want: Fits, servers: 1, why: "weights 1.9 to 2.0 GiB"},
		{name: "27B on 22 GiB", devices: []Device{l4}, load: Load{Shape: &gemma27b, DType: "bfloat16", MaxLength: 4096},
			want: Cannot, why: "weights and one request alone need 51.0 GiB, and GPU 0 (NVIDIA L4, 22.0 GiB) has less",
			fix: "gpus = 2"},
		{name: "27B on 80 GiB", devices: []Device{h100}, load: Load{Shape: &gemma27b, DType: "bfloat16", MaxLength: 4096,
			Concurrency: 2}, want: Fits, servers: 1},
		{name: "requests wait", devices: []Device{h100}, load: Load{Shape: &gemma27b, DType: "bfloat16", MaxLength: 8192,
			Concurrency: 64}, want: Fits, servers: 1, why: "of 64 requests of full length at a time, 4 have room"},
		{name: "a long request", devices: []Device{l4}, load: Load{Shape: &llama8b, DType: "bfloat16", MaxLength: 131072},
			want: Cannot, fix: "a shorter maximum length"},
		{name: "two servers", devices: []Device{h100, second}, load: Load{Shape: &gemma12b, MaxLength: 4096}, want: Fits,
			servers: 2},
		{name: "two GPUs for one", devices: []Device{h100, second}, load: Load{Shape: &gemma27b, MaxLength: 4096, GPUs: 2},
			want: Fits, servers: 1},
		{name: "only the larger GPU", devices: []Device{l4, second}, load: Load{Shape: &gemma27b, DType: "bfloat16",
			MaxLength: 4096}, want: Fits, servers: 1, why: "GPU 1 (NVIDIA H100"},
		{name: "GPUs of two kinds together", devices: []Device{l4, second},
			load: Load{Shape: &gemma12b, MaxLength: 4096, GPUs: 2},
			want: Fits, servers: 1, why: "GPU 0 (NVIDIA L4"},
		{name: "more than visible", devices: []Device{h100}, load: Load{Shape: &gemma1b, GPUs: 8},
			want: Cannot, why: "a server needs 8 GPUs, and this machine has 1 GPU: GPU 0", fix: "lower gpus"},
		{name: "none", load: Load{Shape: &gemma1b}, want: Cannot,
			why: "a server needs 1 GPU, and none is visible: nvidia-smi lists no GPU", fix: "look"},
		{name: "unknown model", devices: []Device{h100}, load: Load{}, want: Unknown, servers: 1,
			why: "nothing states the model's size"},
		{name: "parameters alone", devices: []Device{h100}, load: Load{Params: 4}, want: Doubtful, servers: 1,
			why: "not known without the model's shape", fix: "shape = "},
		{name: "too many parameters", devices: []Device{l4}, load: Load{Params: 70, DType: "bfloat16"}, want: Cannot},
		{name: "no maximum length", devices: []Device{h100}, load: Load{Shape: &gemma1b}, want: Doubtful, servers: 1,
			why: "not known without a maximum length", fix: "state the maximum length"},
		{name: "unknown memory", devices: []Device{spark}, load: Load{Shape: &gemma1b, MaxLength: 4096}, want: Unknown,
			servers: 1,
			why:     "the memory of GPU 0 (NVIDIA GB10) is not stated"},
		{name: "unknown type", devices: []Device{h100}, load: Load{Shape: &gemma1b, DType: "posit8"}, want: Unknown,
			servers: 1,
			why:     `type "posit8" is not known`},
		{name: "heads and GPUs", devices: []Device{h100, second, h100}, load: Load{Shape: &gemma1b, GPUs: 3}, want: Cannot,
			why: "4 attention heads cannot be shared by 3 GPUs", fix: "a divisor of 4"},
		{name: "4 bits", devices: []Device{l4}, load: Load{Shape: &gemma27b, Quantization: "awq", MaxLength: 2048},
			want:    Doubtful,
			servers: 1},
		{name: "no bfloat16", devices: []Device{device(0, "Tesla T4", 15*gib)},
			load: Load{Shape: &gemma1b, DType: "bfloat16", MaxLength: 2048}, want: Cannot,
			why: "GPU 0 (Tesla T4, 15.0 GiB) does not compute in bfloat16", fix: "Ampere or newer"},
		{name: "bfloat16 was not asked for", devices: []Device{device(0, "Quadro RTX 8000", 48*gib)},
			load: Load{Shape: &gemma1b, DType: "float32", MaxLength: 2048}, want: Fits, servers: 1},
		{name: "one of two without bfloat16", devices: []Device{device(0, "Tesla V100-SXM2-32GB", 32*gib), second},
			load: Load{Shape: &gemma1b, DType: "bfloat16", MaxLength: 2048}, want: Fits, servers: 1, why: "GPU 1 (NVIDIA H100"},
		{name: "the files' own size", devices: []Device{l4}, load: Load{Shape: &gemma12b, Files: 8 * gib, MaxLength: 2048},
			want: Fits, servers: 1, why: "weights 8.0 to 8.4 GiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := Machine{Devices: tt.devices}
			if len(tt.devices) == 0 {
				m.Why, m.Fix = "nvidia-smi lists no GPU", "look"
			}
			f := m.Judge(tt.load)
			if f.Verdict != tt.want || len(f.Servers) != tt.servers {
				t.Errorf("%v, %d servers, want %v, %d: %s", f.Verdict, len(f.Servers), tt.want, tt.servers, f.Why)
			}
			if !strings.Contains(f.Why, tt.why) || f.Why == "" || !strings.Contains(f.Fix, tt.fix) ||
				(tt.want == Cannot || tt.want == Doubtful) && f.Fix == "" {
				t.Errorf("why %q, fix %q", f.Why, f.Fix)
			}
		})
	}
}
