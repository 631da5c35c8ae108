package engine

import (
	"strconv"

	"infnet/backends"
)

// transformers is `transformers serve`, by its documentation of 5.8; it was not tried. It gives no
// log-probabilities, and knows its model by the name of the weights.
func transformers() *engine {
	return &engine{
		name: backends.Transformers, program: "transformers", health: "/health",
		install: "pip install \"transformers[serving]\" (https://huggingface.co/docs/transformers/serving)",
		lacks: "it gives no log-probabilities: its model can only be the last of a cascade (no_logprobs = true), " +
			"and neither an embedder nor a scorer",
		memory: "take a model that fits, or an engine that spreads it over GPUs (vllm)",
		command: func(t Task) Command {
			l := t.Launch
			weights := l.Weights
			if !l.Local && l.Revision != "" {
				weights += "@" + l.Revision
			}
			c := Command{Args: []string{"transformers", "serve", weights, "--host", Host, "--port", strconv.Itoa(t.Port),
				"--default-seed", "0"}}
			if l.GPUs == 0 {
				c.add("--device", "cpu")
			}
			c.add(l.Args...)
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
