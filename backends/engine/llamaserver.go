package engine

import (
	"strconv"
	"strings"

	"infnet/backends"
)

// llamaServer is llama.cpp's llama-server, of 2026-11. It reads GGUF files: one of this machine, or one that it
// downloads from a repository of the hub, whose revision it does not take.
func llamaServer() *engine {
	return &engine{
		name: backends.LlamaServer, program: "llama-server", health: "/health", single: true,
		release: release{args: []string{"--version"}},
		install: "https://github.com/ggml-org/llama.cpp: build it, or take a package (brew install llama.cpp)",
		lacks:   "it takes no revision of the hub, and echoes no prompts: it cannot be a scorer",
		memory: "give args = [\"-c\", \"8192\"] for a shorter context, \"-ngl\" \"20\" for fewer layers on the GPU, " +
			"or a smaller quantisation",
		command: func(t Task) Command {
			l := t.Launch
			c := Command{Args: []string{"llama-server"}}
			if l.Local {
				c.add("-m", l.Weights)
			} else {
				c.add("-hf", l.Weights)
			}
			c.add("--alias", t.Served, "--host", Host, "--port", strconv.Itoa(t.Port), "--no-webui")
			if t.Role == Embeds {
				c.add("--embeddings")
			}
			if l.GPUs == 0 {
				c.add("-ngl", "0")
			}
			c.add(l.Args...)
			c.silent()
			c.secret("LLAMA_API_KEY", t.Key)
			return c
		},
		meaning: meaning{
			owned: map[string]string{
				"--hf-token": noToken,
				"--alias":    setServed, "--host": ownAddress, "--port": ownAddress, "--api-key": ownKey, "--api-key-file": ownKey,
				"--api-prefix": ownAddress, "--model": setWeights, "--hf-repo": setWeights, "--hf-file": setWeights,
				"--model-url": setWeights, "--embeddings": ownRole,
				"--ssl-key-file": ownAddress, "--ssl-cert-file": ownAddress,
				"--seed": ownSeed,
			},
			short: pairs(`-a --alias -m --model -hf --hf-repo -hfr --hf-repo -hff --hf-file -mu --model-url -c
				--ctx-size -np --parallel -ngl --n-gpu-layers --gpu-layers --n-gpu-layers -t --threads -tb
				--threads-batch -b --batch-size -ub --ubatch-size -fa --flash-attn -ctk --cache-type-k -ctv
				--cache-type-v --embedding --embeddings -s --seed -v --verbose -lv --verbosity -to --timeout -hft
				--hf-token`),
			harmless: strings.Fields(`--threads --threads-batch --threads-http --parallel --no-webui
				--log-disable --log-file --verbose --verbosity --log-prefix --log-timestamps --log-colors --timeout
				--mlock --no-mmap --metrics --slots --no-slots --prio --poll --cont-batching --no-warmup
				--cpu-mask`),
		},
	}
}
