package engine

import (
	"strconv"
	"strings"

	"infnet/backends"
)

// sglang is `sglang serve`, by its documentation of 0.5; it was not tried. It takes a key
// among its arguments alone, where other users of the machine can read it, so it gets none: it listens on
// loopback.
func sglang() *engine {
	return &engine{
		name: backends.SGLang, program: "sglang", health: "/health", keyless: true, release: release{project: "sglang"},
		install: "pip install \"sglang[all]\" (https://docs.sglang.io)",
		memory: "raise gpus, or give args = [\"--context-length\", \"4096\"] for a shorter context, " +
			"\"--mem-fraction-static\" \"0.8\" for less of the cache, or a quantised model",
		command: func(t Task) Command {
			l := t.Launch
			c := Command{Args: []string{"sglang", "serve", "--model-path", l.Weights}}
			if !l.Local {
				c.option("--revision", l.Revision)
			}
			c.add("--served-model-name", t.Served, "--host", Host, "--port", strconv.Itoa(t.Port))
			if t.Role == Embeds {
				c.add("--is-embedding")
			} else {
				c.add("--sampling-defaults", "openai")
			}
			c.add("--random-seed", "0")
			if l.GPUs > 1 {
				c.add("--tensor-parallel-size", parallel(l))
			}
			if l.GPUs == 0 {
				c.add("--device", "cpu")
			}
			c.add(l.Args...)
			c.silent()
			c.offline(l)
			return c
		},
		meaning: meaning{
			owned: map[string]string{
				"--revision": setRevision, "--served-model-name": setServed, "--host": ownAddress, "--port": ownAddress,
				"--api-key": ownKey, "--tensor-parallel-size": setGPUs, "--data-parallel-size": setServers,
				"--random-seed": ownSeed, "--model-path": setWeights,
				"--is-embedding": ownRole,
				"--config":       noFile, "--sampling-defaults": ownSampling,
				"--device": "gpus = 0 computes on the CPU",
			},
			short: pairs(`--tp --tensor-parallel-size --tp-size --tensor-parallel-size --dp --data-parallel-size
				--dp-size --data-parallel-size --model --model-path --pp --pipeline-parallel-size --pp-size
				--pipeline-parallel-size`),
			usual: map[string]string{"--dtype": "auto", "--tokenizer-mode": "auto", "--kv-cache-dtype": "auto"},
			harmless: strings.Fields(`--mem-fraction-static --max-running-requests --log-level --log-level-http
				--log-requests --download-dir --load-format --trust-remote-code --show-time-cost --enable-metrics
				--decode-log-interval --watchdog-timeout --skip-server-warmup --nccl-port --dist-timeout`),
		},
	}
}
