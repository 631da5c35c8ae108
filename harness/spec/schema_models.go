package spec

import (
	"io/fs"
	"slices"

	"infnet/backends"
	"infnet/harness/dataset"
)

// Model is a model as a study writes it, and how it is opened. The spec opens none: Config.Model.Revision of a local
// folder is empty, or what the spec expects, until whoever opens it fills in the hash of the content; of a model on the
// hub it is left to whoever fetches it. A simulated model's is the hash of its distribution. A server's model has the
// one that the spec states, followed by "+" and a hash of those settings of its backend that change answers.
type Model struct {
	// name in cascades and tables
	Name   string          `toml:"name" need:"cascades and tables refer to it by its name" range:"a name"`
	Config backends.Config // Config.Model.ID is the id, or the name where the spec gives none
	// the hub's name; in every answer's key
	ID string `toml:"id" json:"-" least:"1" usual:"the name; on the hub: OWNER/NAME" range:"text"`
	// of the weights: a commit, or the hash of a local folder, which is checked; in every answer's key
	Revision string `toml:"revision" json:"-" for:"local encoder bart openai huggingface hosted decisions" usual:"none; local, launch: the hash of path; on the hub: the commit" range:"no blanks"`
	// what computes it. encoder, bart: a sentence encoder, a scorer; replay: recorded answers
	Backend string `toml:"backend" json:"-" usual:"required; with answers: replay" range:"KINDS, or a [backends] table's name"`
	// the model's name at the server; in every answer's key
	Served string `toml:"served" json:"-" least:"1" for:"openai hosted decisions" usual:"the id" range:"text"`
	// chat: the prompt is a user turn in the model's chat template (hosted models: always)
	Mode backends.Mode `toml:"mode" one:"raw, chat" default:"raw"`
	// mode chat: reasoning_effort; in every answer's key, so two levels make a cascade
	Effort backends.Effort `toml:"effort" json:"-" for:"openai" stray:"say in the prompt how long to think" usual:"the server's own"`
	// mode chat: the system turn where the dataset has none; in every answer's key
	System string `toml:"system" json:",omitempty" least:"1" for:"local simulated openai hosted" usual:"none" range:"text"`
	// asked n times: the majority's answer counts, its share of the votes is the confidence, all are paid for
	Samples *Samples `toml:"samples" json:",omitempty" for:"local simulated openai hosted" default:"none"`
	// a folder with config.json, *.safetensors and a tokenizer (launch: what the engine reads); a built-in model; one
	// of the hub
	Path string `toml:"path" for:"local encoder bart openai" usual:"required: local, encoder, bart" range:"a path; builtin:NAME; or hf:OWNER/NAME@REVISION"`

	FS  fs.FS  // where the folder Config.Folder() is; nil = on the machine
	Hub string `json:"-"` // the reference of a model on the hub, which has no folder until it is fetched; "" = none

	HeadersEnv map[string]string // further headers of every call: name → environment variable with the value

	Shape   *backends.Shape // as the spec states it, with Params filled in where they are known; nil = not stated
	ShapeIn string          `json:",omitempty"` // the folder of a config.json that says it, as FS has it; "" = none

	Recording *Recording `json:"Answers,omitempty"` // nil = it is asked

	// not needed for a student that the study runs itself
	PriceIn float64 `toml:"price_in" usual:"none" range:"0 or more, currency per million input tokens"`
	// likewise
	PriceOut float64 `toml:"price_out" usual:"none; decisions: 0" range:"0 or more, currency per million output tokens"`
	Priced   bool    // both are known

	// of prices and recorded costs; one per study
	Currency string `toml:"currency" least:"1" usual:"USD" range:"text"`
	// cost.model fixed: of one answer
	Fixed *float64 `toml:"fixed_cost" usual:"none" range:"0 or more, any unit"`
	// of parameters, for cost.summary signature
	Params float64 `toml:"params" fix:"parameters in billions: params = 1.5; leave it out where unknown" usual:"those of a known shape; local, launch: counted" range:"more than 0, billions"`
	// cost.model tflops: a known shape, or a folder with config.json
	ShapeOf string `toml:"shape" json:"-" for:"openai replay" usual:"none; local, launch: read from config.json" range:"SHAPES; or a path"`
	// the joint distribution of confidence and error
	Simulated *backends.SimulatedConfig `toml:"simulated" json:"-" for:"simulated" stray:"set backend = \"simulated\"" need:"simulated = { alpha = 4, beta = 2, intercept = 0.6, slope = -0.6 }"`

	Replay Recording `toml:",inline" json:"-" for:"replay"` // Recording as it is written
}

// Samples say how often a model is asked for every record, and how its answers are drawn.
type Samples struct {
	// answers per record, with the seeds 1 to n
	N int `toml:"n" need:"samples = { n = 5, temperature = 0.7 }" range:"2 to 1000"`
	backends.Sampling
}

// Recording is a file of recorded answers.
type Recording struct {
	// recorded answers, joined by id (harness/recorded/FORMATS.md). Their content is the revision. Of a table with a
	// column "model" the rows of the model's id count
	Text    string `toml:"answers" stray:"set backend = \"replay\"" need:"answers = \"file.jsonl\": the file of recorded answers" range:"a path, ${NAME} is replaced"`
	File    string // the resolved path, in Study.FS or on the machine
	Columns dataset.AnswerColumns
	ModelIn string `json:",omitempty"` // the column that says whose answer it is
	// a model without a confidence that has to decide: an error, or all confidences are 0
	NoConfidence string `toml:"without_confidence" json:"-" one:"refuse, tie" default:"refuse"`
	Ties         bool   `json:",omitempty"` // that is tie
	// of a table; one that is named must be there (names: harness/recorded/FORMATS.md)
	Named map[string]string `toml:"columns" json:"-" usual:"those of the default names" range:"table of what = column"`

	Facts dataset.AnswerFacts `json:",omitzero"`
}

// Recorded reports whether every model's answers are recorded ones: there is nobody to ask.
func (s *Study) Recorded() bool {
	return len(s.Models) > 0 && !slices.ContainsFunc(s.Models, func(m Model) bool { return m.Recording == nil })
}

// rawBackend is a [backends.NAME] table, with the keys of all kinds.
type rawBackend struct {
	// openai: any server of that protocol (vLLM, SGLang, llama.cpp, Ollama, TGI); huggingface: an inference endpoint;
	// hosted: a provider's own API; decisions: decision models
	Kind *rawKind `toml:"kind" default:"required; with launch: openai"`
	// requests computed together; openai: texts per call of an embedder. Changes no result
	Batch           int `toml:"batch" usual:"64; openai: 32" for:"local openai" range:"1 to 4096"`
	backends.Access `for:"openai huggingface hosted decisions"`
	// instead of urls: the run starts the servers, one model after the other
	Launch *backends.Launch `toml:"launch" for:"openai" default:"none: the servers run, at urls"`
	// urls of single models, for servers that serve one each
	URLsOf map[string][]string `toml:"urls_of" for:"openai huggingface hosted decisions" default:"none" range:"table of model = URLs"`
	// further headers of every call
	HeadersEnv map[string]string `toml:"headers_env" for:"openai" default:"none" range:"table of header = environment variable"`
	// fields of every request, over ours: { chat_template_kwargs = { enable_thinking = false } }; in every answer's key
	Extra map[string]any `toml:"extra" for:"openai hosted" default:"none" range:"a table"`
	// fields that the server refuses: ["seed"]
	Drop []string `toml:"drop" for:"openai hosted" default:"[]" range:"names of fields"`
	// no log-probabilities: its models are the last of a cascade, or vote (samples). Not tried live
	Provider                    backends.Provider `toml:"provider" for:"hosted" need:"names"`
	backends.OpenAIOptions      `for:"openai"`
	backends.HuggingFaceOptions `for:"huggingface"`
}
