package engine

import (
	"path"
	"path/filepath"
	"strconv"

	"infnet/backends"
)

// transformers is `transformers serve`, as 5.19 ran on a CPU. It gives no log-probabilities and takes no key. It knows
// its model by the argument that named the weights and by nothing else, so they get the served name: a link to
// their folder, in a folder of its own, fetched there first if they are on the hub.
func transformers() *engine {
	return &engine{
		name: backends.Transformers, program: "transformers", health: "/health", keyless: true,
		release: release{project: "transformers"},
		install: "pip install \"transformers[serving]\" accelerate (https://huggingface.co/docs/transformers/serving)",
		lacks: "it gives no log-probabilities: its model can only be the last of a cascade (no_logprobs = true), " +
			"and neither an embedder nor a scorer",
		memory: "take a model that fits, or an engine that spreads it over GPUs (vllm)",
		command: func(t Task) Command {
			l := t.Launch
			weights := l.Weights
			if in, err := filepath.Abs(weights); l.Local && err == nil {
				weights = in // the link to it is in another folder
			}
			home, find := t.Home, "w="+Quote(weights)
			if home == "" {
				home = "."
			}
			if !l.Local {
				find = "w=$(hf download " + Quote(l.Weights) + " --quiet"
				if l.Revision != "" {
					find += " --revision " + Quote(l.Revision)
				}
				find += ") || exit 1"
			}
			in := Quote(filepath.Join(home, "transformers"))
			c := Command{Args: []string{"sh", "-c", find + "; mkdir -p " + in + " && cd " + in + " && mkdir -p " +
				Quote(path.Dir(t.Served)) + " && ln -sfn \"$w\" " + Quote(t.Served) + " && exec transformers serve \"$@\"", "sh",
				t.Served, "--host", Host, "--port", strconv.Itoa(t.Port), "--default-seed", "0"}}
			if l.GPUs == 0 {
				c.add("--device", "cpu")
			}
			c.add(l.Args...)
			c.shown = append([]string{"transformers", "serve"}, c.Args[4:]...)
			c.silent()
			c.offline(l)
			return c
		},
		meaning: meaning{
			owned: map[string]string{"--host": ownAddress, "--port": ownAddress, "--default-seed": ownSeed,
				"--device": "gpus = 0 computes on the CPU", "--force-model": setWeights},
			usual:    map[string]string{"--dtype": "auto"},
			harmless: []string{"--log-level", "--model-timeout", "--enable-cors", "--trust-remote-code"},
		},
	}
}
