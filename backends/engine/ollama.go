package engine

import (
	"fmt"
	"path/filepath"

	"infnet/backends"
)

// ollama is `ollama serve` with one model, as 0.17.4 ran. The model is created from a folder or GGUF file of this
// machine, or pulled from Ollama's library, and kept in a folder of its own. One line of a shell does it, so that
// a model that cannot be created ends the server.
func ollama() *engine {
	return &engine{
		name: backends.Ollama, program: "ollama", install: "https://ollama.com/download",
		health:  "/v1/models/{served}", // 404 until the model is created
		keyless: true, single: true,
		release: release{args: []string{"--version"}, oldest: "0.12.11", why: "log-probabilities"},
		lacks: "it takes no revision of the hub, gives at most 20 alternatives a token, echoes no prompts (no scorer), and " +
			"gives raw completions no log-probabilities: students are asked with mode = \"chat\"",
		memory: "give args = [\"PARAMETER num_ctx 4096\"] for a shorter context, or a smaller quantisation",
		command: func(t Task) Command {
			l := t.Launch
			lines := append([]string{"FROM " + l.Weights, "PARAMETER repeat_penalty 1"}, l.Args...)
			pull := ""
			if !l.Local {
				pull = "ollama pull " + Quote(l.Weights) + " && "
			}
			script := "ollama serve & server=$!; until ollama list >/dev/null 2>&1; do kill -0 $server || exit 1; sleep " +
				"0.2; done; " +
				"f=$(mktemp) && printf '%s\\n' " + Quoted(lines...) + " >\"$f\" && " + pull +
				"ollama create " + Quote(t.Served) + " -f \"$f\" && rm -f \"$f\" || exit 1; wait $server"
			c := Command{Args: []string{"sh", "-c", script}, shown: append([]string{"ollama", "serve"}, lines...)}
			c.set("OLLAMA_HOST", fmt.Sprintf("%s:%d", Host, t.Port))
			c.set("OLLAMA_KEEP_ALIVE", "-1")
			if t.Home != "" {
				c.set("OLLAMA_MODELS", filepath.Join(t.Home, "ollama"))
			}
			c.silent()
			return c
		},
		meaning: meaning{lines: true, harmless: []string{"PARAMETER num_thread"}},
	}
}
