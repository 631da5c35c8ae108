package engine

import (
	"strconv"
	"strings"

	"infnet/backends"
)

// RunBatch is `vllm run-batch`, which answers the requests of one file with the flags of the server that a task starts.
func RunBatch(t Task, in, out string) Command {
	t.Key = "" // nobody else reaches it
	c := Build(t)
	c.Args = append([]string{"vllm", "run-batch", "-i", in, "-o", out, "--model", t.Launch.Weights},
		unaddressed(c.Args[3:])...) // after "vllm", "serve" and the weights
	return c
}

// vllm is `vllm serve`, by the documentation of 0.32 and as it ran on a CPU.
func vllm() *engine {
	return &engine{
		name: backends.VLLM, program: "vllm", install: "pip install vllm (https://docs.vllm.ai)", health: "/health",
		// --runner pooling and log-probabilities as the model computed them (--logprobs-mode) are of 0.10.0
		release: release{args: []string{"--version"}, project: "vllm", oldest: "0.10.0",
			why: "log-probabilities before any sampling setting, and --runner"},
		memory: "raise gpus, or give args = [\"--max-model-len\", \"4096\"] for a shorter context, " +
			"\"--gpu-memory-utilization\" \"0.95\" for more of the memory, or a quantised model",
		command: func(t Task) Command {
			l := t.Launch
			c := Command{Args: []string{"vllm", "serve", l.Weights}}
			if !l.Local && l.Revision != "" {
				c.add("--revision", l.Revision, "--tokenizer-revision", l.Revision)
			}
			c.add("--served-model-name", t.Served, "--host", Host, "--port", strconv.Itoa(t.Port))
			if t.Role == Embeds {
				c.add("--runner", "pooling")
			} else {
				c.add("--max-logprobs", strconv.Itoa(max(20, t.Top)), "--generation-config", "vllm")
			}
			c.add("--seed", "0")
			if l.GPUs > 1 {
				c.add("--tensor-parallel-size", parallel(l))
			}
			c.add(l.Args...)
			c.silent()
			c.set("VLLM_NO_USAGE_STATS", "1")
			c.offline(l)
			c.secret("VLLM_API_KEY", t.Key)
			return c
		},
		meaning: meaning{
			owned: map[string]string{
				"--hf-token": noToken,
				"--revision": setRevision, "--tokenizer-revision": setRevision, "--code-revision": setRevision,
				"--served-model-name": setServed, "--host": ownAddress, "--port": ownAddress, "--uds": ownAddress,
				"--api-key": ownKey, "--max-logprobs": "set top_logprobs in the backend's table",
				"--tensor-parallel-size": setGPUs, "--data-parallel-size": setServers, "--seed": ownSeed,
				"--generation-config": ownSampling,
				"--model":             setWeights, "--runner": ownRole,
				"--config":    noFile,
				"--root-path": ownAddress, "--ssl-keyfile": ownAddress, "--ssl-certfile": ownAddress, "--headless": ownAddress,
			},
			short: pairs(`-tp --tensor-parallel-size -dp --data-parallel-size -pp --pipeline-parallel-size -q
				--quantization -cc --compilation-config -O --optimization-level`),
			usual: map[string]string{"--dtype": "auto", "--tokenizer-mode": "auto", "--kv-cache-dtype": "auto"},
			harmless: strings.Fields(`--gpu-memory-utilization --max-num-seqs --swap-space --cpu-offload-gb
				--download-dir --disable-log-requests --enable-log-requests --disable-log-stats --uvicorn-log-level
				--disable-uvicorn-access-log --max-log-len --load-format --safetensors-load-strategy
				--max-parallel-loading-workers --ignore-patterns --kv-cache-memory-bytes --kv-cache-memory
				--num-gpu-blocks-override --trust-remote-code --distributed-executor-backend --api-server-count`),
		},
	}
}
