package spec

import (
	"infnet/backends"
	"time"
)

// The schema of [[models]] and [backends]; schema.go says how it is written.

type rawModel struct {
	// name in cascades and tables
	Name *string `toml:"name" default:"required" range:"a name"`
	// the hub's name; in every answer's key
	ID *string `toml:"id" default:"the name; on the hub: OWNER/NAME" range:"text"`
	// version of the weights: a commit of the hub, or the hash of a local folder, which is checked; in every answer's
	// key. A served model without it gets a caveat
	Revision *string `toml:"revision" for:"local encoder bart openai huggingface hosted decisions" default:"none; local, launch: the hash of path; on the hub: the commit" range:"no blanks"`
	// what computes it. encoder, bart: a sentence encoder, a scorer in this process; replay: recorded answers
	Backend *string `toml:"backend" default:"required; with answers: replay" range:"KINDS, or a [backends] table's name"`
	// the model's name at the server; in every answer's key
	Served *string `toml:"served" for:"openai hosted decisions" default:"the id" range:"text"`
	// a folder with config.json, *.safetensors and a tokenizer (with launch: what the engine reads, or a GGUF file); a
	// model that comes with infnet; one of the Hugging Face hub
	Path *string `toml:"path" for:"local encoder bart openai" default:"required: local, encoder, bart" range:"a path; builtin:NAME; or hf:OWNER/NAME@REVISION"`
	// raw: the prompt is the input; chat: one user turn in the model's chat template (hosted models: always)
	Mode *rawMode `toml:"mode" default:"raw"`
	// servers, mode chat: reasoning_effort; in every answer's key, so two levels make a cascade
	Effort *backends.Effort `toml:"effort" for:"openai" stray:"say in the prompt how long to think" usual:"the server's own"`
	// mode chat: the system turn where the dataset has none; in every answer's key
	System *string `toml:"system" for:"local simulated openai hosted" default:"none" range:"text"`
	// asked n times for every record: the majority's answer counts, its share of the n votes is the confidence, all
	// are paid for. For models without log-probabilities
	Samples *rawSamples `toml:"samples" for:"local simulated openai hosted" default:"none"`
	// cost.model price; not needed for a student that the study runs itself
	PriceIn *float64 `toml:"price_in" default:"none" range:"0 or more, currency per million input tokens"`
	// cost.model price
	PriceOut *float64 `toml:"price_out" default:"none; decisions: 0" range:"0 or more, currency per million output tokens"`
	// cost.model price: prompt tokens from the vendor's cache
	PriceCached *float64 `toml:"price_cached" default:"price_in" range:"0 or more, currency per million cached tokens"`
	// of prices and recorded costs; one per study
	Currency *string `toml:"currency" default:"USD" range:"text"`
	// cost.model fixed: of one answer
	FixedCost *float64 `toml:"fixed_cost" default:"none" range:"0 or more, any unit"`
	// number of parameters, for cost.summary signature
	Params *float64 `toml:"params" fix:"parameters in billions: params = 1.5; leave it out where unknown" default:"those of a known shape; local, launch: counted" range:"more than 0, billions"`
	// cost.model tflops: a known shape, or a folder with config.json
	Shape *string `toml:"shape" for:"openai replay" default:"none; local, launch: read from config.json" range:"SHAPES; or a path"`
	// the joint distribution of confidence and error
	Simulated *rawSimulated `toml:"simulated" for:"simulated" stray:"set backend = \"simulated\"" default:"required for simulated"`

	// recorded answers, joined by id: a table, samples of lm-evaluation-harness, an Inspect log, Every Eval Ever,
	// LLMRouterBench (harness/recorded/FORMATS.md). Its content is the revision
	Answers *string `toml:"answers" for:"replay" stray:"set backend = \"replay\"" default:"required for replay" range:"a path, ${NAME} is replaced"`
	// further files of the model's answers; an id may repeat if they agree
	AnswersAlso []string `toml:"answers_also" for:"replay" default:"[]" range:"paths, ${NAME} is replaced"`
	// how the file holds answers
	AnswersFormat *backends.AnswersFormat `toml:"answers_format" for:"replay" default:"auto"`
	// of lm-eval the filter, of Inspect the scorer that counts
	AnswersFilter *string `toml:"answers_filter" for:"replay" default:"the only one" range:"text"`
	// files named .csv: what parts the cells
	AnswersDelim *string `toml:"answers_delimiter" for:"replay" default:"," range:"one character, or tab"`
	// whose answers, as the file names the model
	AnswersOf *string `toml:"answers_of" for:"replay" default:"none: the file has one model's" range:"text"`
	// a model without a confidence that has to decide: refuse ends the study; tie makes all confidences 0
	NoConfidence *NoConfidence `toml:"without_confidence" for:"replay" default:"refuse"`
	// what null means: not known, or minus infinity
	NullLogprob *NullLogprob `toml:"null_logprob" for:"replay" default:"unknown"`
	// what prompt_tokens (cached) and completion_tokens (reasoning) do not include
	CountedApart []countedApart `toml:"counted_apart" for:"replay" default:"[]"`
	// of a table of answers; one that is named must be there (names: harness/recorded/FORMATS.md)
	Columns map[string]string `toml:"columns" for:"replay" default:"those of the default names" range:"table of what = column"`
}

type rawSamples struct {
	// answers per record, with the seeds 1 to n; a larger n asks for the missing ones
	N *int `toml:"n" default:"required" range:"2 to 1000"`
	// of the sampling
	Temperature *float64 `toml:"temperature" default:"required" range:"more than 0, up to 10"`
	// nucleus sampling: the fewest tokens with this probability
	TopP float64 `toml:"top_p" usual:"from all" range:"more than 0, less than 1"`
}

type rawSimulated struct {
	// of the confidence's Beta(alpha, beta) distribution
	Alpha *float64 `toml:"alpha" default:"required" range:"more than 0"`
	// likewise
	Beta *float64 `toml:"beta" default:"required" range:"more than 0"`
	// the error rate is intercept + slope·β, clipped to [0,1]
	Intercept *float64 `toml:"intercept" default:"required" range:"a number"`
	// likewise
	Slope float64 `toml:"slope" default:"0" range:"a number"`
	// probability that the error's draw is the one that all simulated models share
	Rho float64 `toml:"rho" fix:"a share: 0.01 is one in a hundred" default:"0" range:"0 to 1"`
}

// rawBackend is a [backends.NAME] table, with the keys of all kinds.
type rawBackend struct {
	// local: this process; openai: a server of the OpenAI protocol (vLLM, SGLang, llama.cpp, Ollama, TGI, OpenAI);
	// huggingface: an inference endpoint; hosted: a provider's API; decisions: decision models
	Kind *rawKind `toml:"kind" default:"required; with launch: openai"`
	// local: requests computed together; openai: texts per call of an embedder. Changes no result
	Batch int `toml:"batch" usual:"64; openai: 32" for:"local openai" range:"1 to 4096"`
	// base URLs, before /chat/completions: http://gpu0:8000/v1; all serve the same weights and share the calls.
	// huggingface, hosted: one. decisions: before /systemone or /decisions
	URLs []string `toml:"urls" for:"openai huggingface hosted decisions" default:"required for servers that run; hosted: the provider's own" range:"one or more URLs, http or https"`
	// instead of urls: the run starts the servers, one model after the other
	Launch *backends.Launch `toml:"launch" for:"openai" default:"none: the servers run, at urls"`
	// urls of single models, for servers that serve one each
	URLsOf map[string][]string `toml:"urls_of" for:"openai huggingface hosted decisions" default:"none" range:"table of model = URLs"`
	// holds the API key
	APIKeyEnv *string `toml:"api_key_env" for:"openai huggingface hosted decisions" default:"none" range:"the name of an environment variable"`
	// further headers of every call
	HeadersEnv map[string]string `toml:"headers_env" for:"openai" default:"none" range:"table of header = environment variable"`
	// fields of every request, over ours: { chat_template_kwargs = { enable_thinking = false } }. They change the
	// models' revisions
	Extra map[string]any `toml:"extra" for:"openai hosted" default:"none" range:"a table"`
	// fields that the server refuses: ["seed"]
	Drop []string `toml:"drop" for:"openai hosted" default:"[]" range:"names of fields"`
	// what the provider takes off answers from batch files; 0.5 is half price
	BatchDiscount float64 `toml:"batch_discount" for:"openai" fix:"the share of the price that is taken off: 0.5 is half price" default:"none" range:"0 or more, less than 1"`
	// of one call, to the last byte
	Timeout *time.Duration `toml:"timeout" for:"openai huggingface hosted decisions" default:"collect.timeout" range:"a duration: 30s, 5m, 1h"`
	// calls in flight per model, over all URLs
	Concurrency *int `toml:"concurrency" for:"openai huggingface hosted decisions" default:"collect.concurrency where written, else 16" range:"1 to 1024"`
	// whose API. No log-probabilities: its models are the last of a cascade, or vote (samples). Not tried live
	Provider                    backends.Provider `toml:"provider" for:"hosted" default:"required for hosted"`
	backends.OpenAIOptions      `for:"openai"`
	backends.HuggingFaceOptions `for:"huggingface"`
	backends.DecisionsOptions   `for:"decisions"`
}
