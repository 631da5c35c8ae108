package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
)

// The command of every engine, as a shell takes it. The expected texts were written by hand from
// the engines' documentation.
func TestBuild(t *testing.T) {
	hub := backends.Launch{Weights: "acme/small", Revision: "abc123", GPUs: 1}
	folder := backends.Launch{Weights: "/models/my small", Local: true, Revision: "ignored"}
	with := func(l backends.Launch, e backends.Engine, gpus int, args ...string) *backends.Launch {
		l.Engine, l.GPUs, l.Args = e, gpus, args
		return &l
	}
	task := func(l *backends.Launch, role Role, devices ...string) Task {
		return Task{Launch: l, Served: "small", Role: role, Top: 5, Port: 8000, Key: "sesame", Devices: devices}
	}
	const quiet = `DO_NOT_TRACK=1 HF_HUB_DISABLE_TELEMETRY=1`
	for _, test := range []struct {
		name string
		task Task
		want string
	}{
		{"vllm, weights of the hub, two GPUs", task(with(hub, backends.VLLM, 2, "--dtype", "float32"), Answers, "0", "3"),
			quiet + ` VLLM_NO_USAGE_STATS=1 VLLM_API_KEY="$VLLM_API_KEY" ` +
				`CUDA_VISIBLE_DEVICES=0,3 ` +
				`vllm serve acme/small --revision abc123 --tokenizer-revision abc123 --served-model-name small ` +
				`--host 127.0.0.1 ` +
				`--port 8000 --max-logprobs 20 --generation-config vllm --seed 0 --tensor-parallel-size 2 --dtype float32`},
		{"vllm, a folder, on the CPU, embeds", task(with(folder, backends.VLLM, 0), Embeds),
			quiet + ` VLLM_NO_USAGE_STATS=1 HF_HUB_OFFLINE=1 VLLM_API_KEY="$VLLM_API_KEY" CUDA_VISIBLE_DEVICES='' ` +
				`vllm serve '/models/my small' --served-model-name small --host 127.0.0.1 --port 8000 --runner pooling --seed 0`},
		{"llama-server, a file", task(with(folder, backends.LlamaServer, 1, "-c", "8192"), Answers, "0"),
			quiet + ` LLAMA_API_KEY="$LLAMA_API_KEY" CUDA_VISIBLE_DEVICES=0 llama-server ` +
				`-m '/models/my small' --alias small --host 127.0.0.1 --port 8000 --no-webui -c 8192`},
		{"llama-server, a repository, on the CPU, embeds", task(with(hub, backends.LlamaServer, 0), Embeds),
			quiet + ` LLAMA_API_KEY="$LLAMA_API_KEY" CUDA_VISIBLE_DEVICES='' llama-server -hf acme/small --alias small ` +
				`--host 127.0.0.1 --port 8000 --no-webui --embeddings -ngl 0`},
		{"a command", task(&backends.Launch{Weights: "acme/small", Revision: "r", GPUs: 1, Command: []string{"docker", "run",
			"--gpus=device={gpus}", "-p", "127.0.0.1:{port}:80", "image", "{model}@{revision}", "{served}"}}, Answers, "2"),
			`INFNET_API_KEY="$INFNET_API_KEY" CUDA_VISIBLE_DEVICES=2 docker run --gpus=device=2 ` +
				`-p 127.0.0.1:8000:80 image acme/small@r small`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Build(test.task).Shell()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if strings.Contains(Build(test.task).Shell()+strings.Join(Build(test.task).Args, " "), "sesame") {
				t.Error("the key is among what is shown")
			}
		})
	}
}

// What results say of a command does not depend on the machine: no port, no key, no GPU, no folder above the weights.
func TestDescribe(t *testing.T) {
	l := &backends.Launch{Engine: backends.VLLM, Weights: "/home/someone/models/small", Local: true, GPUs: 1,
		Args: []string{"--dtype", "float32"}}
	got := Describe(Task{Launch: l, Served: "small", Port: 1234, Key: "sesame", Devices: []string{"7"}},
		[]string{"VLLM_X=1", "VLLM_LOGGING_LEVEL=info", "VLLM_API_KEY=theirs", "PATH=/bin"})
	want := "VLLM_X=1 vllm serve small --served-model-name small --max-logprobs 20 " +
		"--generation-config vllm --seed 0 --dtype float32"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, e := range backends.Engines() {
		l := &backends.Launch{Engine: e, Weights: "/home/someone/models/small", Local: true, GPUs: 1}
		got := Describe(Task{Launch: l, Served: "small", Port: 1234, Key: "sesame", Devices: []string{"7"}}, nil)
		for _, no := range []string{"1234", "sesame", "someone", "CUDA"} {
			if strings.Contains(got, no) {
				t.Errorf("%s: %q in %s", e, no, got)
			}
		}
	}
}

// A server's environment has each name once, with the command's value over the shell's, and no key of the shell but the
// hub's.
func TestEnvironment(t *testing.T) {
	shell := []string{"PATH=/bin", "VLLM_API_KEY=theirs", "OPENAI_API_KEY=theirs", "AWS_SECRET_ACCESS_KEY=theirs",
		"HF_TOKEN=hub", "CUDA_VISIBLE_DEVICES=0,1", "VLLM_USE_V1=0", "VLLM_USE_V1=1", "SOMETHING=else", "LC_ALL=C",
		"VLLM_NO_USAGE_STATS=0", "GITHUB_TOKEN=theirs"}
	l := &backends.Launch{Engine: backends.VLLM, Weights: "acme/small", GPUs: 1}
	got := Build(Task{Launch: l, Served: "small", Port: 1, Key: "sesame", Devices: []string{"1"}}).Environ(shell)
	want := []string{"CUDA_VISIBLE_DEVICES=1", "DO_NOT_TRACK=1",
		"HF_HUB_DISABLE_TELEMETRY=1", "HF_TOKEN=hub", "LC_ALL=C", "PATH=/bin", "VLLM_API_KEY=sesame",
		"VLLM_NO_USAGE_STATS=1", "VLLM_USE_V1=1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Flags that change answers are settings; others, and defaults written out, are not.
func TestSettings(t *testing.T) {
	for _, test := range []struct {
		name   string
		launch backends.Launch
		want   string
	}{
		{"nothing said", backends.Launch{Engine: backends.VLLM, GPUs: 1}, ""},
		{"on the CPU", backends.Launch{Engine: backends.VLLM}, ""},
		{"replicas", backends.Launch{Engine: backends.VLLM, GPUs: 1, Servers: 4}, ""},
		{"harmless flags", backends.Launch{Engine: backends.VLLM, GPUs: 1,
			Args: []string{"--gpu-memory-utilization", "0.8", "--disable-log-requests", "--max_num_seqs=64"}}, ""},
		{"defaults", backends.Launch{Engine: backends.VLLM, GPUs: 1, Args: []string{"--dtype", "auto"}}, ""},
		{"type, length and quantisation", backends.Launch{Engine: backends.VLLM, GPUs: 1,
			Args: []string{"--dtype=float32", "--max_model_len", "2048", "-q", "fp8"}},
			"dtype=float32 max-model-len=2048 quantization=fp8"},
		{"flags without values, and unknown ones", backends.Launch{Engine: backends.VLLM, GPUs: 1,
			Args: []string{"--enforce-eager", "--new-flag", "-1", "two"}}, "enforce-eager= new-flag=-1 two"},
		{"parallelism", backends.Launch{Engine: backends.VLLM, GPUs: 2}, "tensor-parallel-size=2"},
		{"layers over GPUs compute the same", backends.Launch{Engine: backends.LlamaServer, GPUs: 2}, ""},
		{"short flags", backends.Launch{Engine: backends.LlamaServer, GPUs: 1, Args: []string{"-c", "8192", "-t", "4"}},
			"ctx-size=8192"},
		{"a command", backends.Launch{GPUs: 2, Command: []string{"my server", "{port}"}}, "command='my server' '{port}'"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, s := range Settings(&test.launch) {
				got = append(got, s.Name+"="+s.Value)
			}
			if joined := strings.Join(got, " "); joined != test.want {
				t.Errorf("got %q, want %q", joined, test.want)
			}
		})
	}
}

// GPUs are those that CUDA_VISIBLE_DEVICES names, until an invalid one, else those that nvidia-smi lists: its lines are
// of its manual, with a GPU that MIG divides.
func TestGPUs(t *testing.T) {
	dir := t.TempDir()
	const says = `#!/bin/sh
echo "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77)"
echo "  MIG 1g.5gb      Device  0: (UUID: MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f)"
echo "GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-6d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77)"
`
	if err := os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte(says), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, path, visible string
		want                []string
		wrong               string
	}{
		{name: "all", path: dir, visible: "unset", want: []string{"0", "1"}},
		{name: "named", visible: "GPU-6d5b, 0", want: []string{"GPU-6d5b", "0"}},
		{name: "what follows an invalid one", visible: "3,-1,2", want: []string{"3"}},
		{name: "hidden", path: dir, visible: "", wrong: `CUDA_VISIBLE_DEVICES="" hides all`},
		{name: "no driver", path: t.TempDir(), visible: "unset", wrong: "nvidia-smi -L: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("PATH", test.path)
			if t.Setenv("CUDA_VISIBLE_DEVICES", test.visible); test.visible == "unset" {
				os.Unsetenv("CUDA_VISIBLE_DEVICES")
			}
			got, err := GPUs(t.Context())
			if !slices.Equal(got, test.want) || (err == nil) != (test.wrong == "") ||
				err != nil && !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("%q, %v; want %q, %q", got, err, test.want, test.wrong)
			}
		})
	}
}
