package backends

import "infnet/harness/choice"

// Engine is a program that serves models.
type Engine string

const (
	VLLM        Engine = "vllm"
	LlamaServer Engine = "llama-server" // llama.cpp
)

// Engines lists the engines whose commands are known.
func Engines() []Engine { return []Engine{VLLM, LlamaServer} }

func (e *Engine) UnmarshalText(b []byte) error { return choice.Decode(e, b, "engine", Engines()) }

// Launch says how the servers of a model are started. A model with one has no URLs until they run. The fields with a
// key are options of a study's [backends.NAME.launch].
type Launch struct {
	// the program; it fetches hub weights by id and revision, and reads those on this machine from path
	Engine Engine `toml:"engine" default:"required, unless command"`
	// another program, container or script. It speaks the OpenAI protocol on 127.0.0.1 at {port}, stays in the
	// foreground, and answers GET /v1/models
	Command []string `toml:"command" default:"none" range:"words; {model} {port} {revision} {served} {key} {gpus} are replaced"`
	// the engine's further arguments; what changes answers is in their keys
	Args []string `toml:"args" default:"[]" range:"words: [\"--dtype\", \"float32\"]"`
	// of each server (tensor parallel); 0: the CPU
	GPUs int `toml:"gpus" default:"1" range:"0 to 64"`
	// of one model, on GPUs of their own, sharing its calls
	Servers int `toml:"servers" default:"1" range:"1 to 64"`

	// Weights is what is served: a name on the Hugging Face hub, or a folder or file of this machine.
	Weights  string
	Local    bool   // Weights is on this machine
	Revision string // of the weights on the hub; "" = the engine's default

	// Content makes the content of Weights their revision: they are Local, and none is stated.
	Content bool

	// Settings of the engine that change answers, and so are part of their keys.
	Settings []Setting
}
