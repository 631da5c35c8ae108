package backends

import (
	"time"

	"infnet/harness/choice"
)

// Engine is a program that serves models.
type Engine string

// The engines whose commands are known.
const (
	VLLM         Engine = "vllm"
	SGLang       Engine = "sglang"
	LlamaServer  Engine = "llama-server" // llama.cpp
	Ollama       Engine = "ollama"
	Transformers Engine = "transformers" // transformers serve, which gives no log-probabilities
)

// Engines lists the engines whose commands are known.
func Engines() []Engine { return []Engine{VLLM, SGLang, LlamaServer, Ollama, Transformers} }

// UnmarshalText accepts an engine's name.
func (e *Engine) UnmarshalText(b []byte) error { return choice.Decode(e, b, "engine", Engines()) }

// Launch says how the servers of a model are started. A model with one has no URLs until they run.
type Launch struct {
	Engine  Engine   // "" where Command says it all
	Command []string // the program and its arguments, with placeholders such as {port}

	Args    []string          // further arguments of the engine
	Env     map[string]string // further variables of its environment
	GPUs    int               // of each server; 0 = none: it computes on the CPU
	Servers int               // how many; 0 = as many as the visible GPUs hold

	// Weights is what is served: a name on the Hugging Face hub or in the engine's own library, or a
	// folder or file of this machine.
	Weights  string
	Local    bool   // Weights is on this machine
	Revision string // of the weights on the hub; "" = the engine's default

	// Content makes the content of Weights their revision: they are Local, and none is stated.
	Content bool

	Silence  time.Duration // a starting server that logs nothing for so long is given up
	Restarts int           // of each server that dies while it is asked

	// Settings of the engine that change answers, and so are part of their keys.
	Settings []Setting
}
