package spec

import (
	"infnet/backends"
	"time"
)

// The schema of [[models]] and [backends]; schema.go says how it is written.

type rawModel struct {
	// name in cascades and tables
	Name *string `toml:"name" default:"required" range:"a name"`
	// the hub's name of the model; part of an answer's key
	ID *string `toml:"id" default:"the name; on the hub: OWNER/NAME" range:"text"`
	// which version of the weights: a commit of the hub, or a local folder's content hash, which is then checked;
	// part of an answer's key. A served model without it is warned of
	Revision *string `toml:"revision" for:"local encoder bart openai huggingface hosted decisions" default:"none; local, launch: the hash of path; on the hub: the commit" range:"no blanks"`
	// what computes it; encoder: a sentence encoder in this process; bart: a scorer in this process; replay:
	// nothing does, its answers are recorded
	Backend *string `toml:"backend" default:"required; with answers: replay" range:"KINDS, or a [backends] table's name"`
	// servers: the model's name there, part of every answer's key: another name asks again
	Served *string `toml:"served" for:"openai hosted decisions" default:"the id" range:"text"`
	// folder with config.json, *.safetensors and a tokenizer, relative to this file (for a server that the run
	// starts: what its engine reads, or a GGUF file); a model that comes with infnet; or one on the Hugging Face
	// hub
	Path *string `toml:"path" for:"local encoder bart openai" default:"required: local, encoder, bart" range:"a path; builtin:NAME; or hf:OWNER/NAME@REVISION"`
	// raw: the prompt is the model's input; chat: one user turn in the model's chat template. A hosted model is asked in
	// chats alone, and needs no mode
	Mode *rawMode `toml:"mode" default:"raw"`
	// servers, mode chat: how much the model thinks before it answers (reasoning_effort); part of every answer's key, so
	// that levels of one model make a cascade
	Effort *backends.Effort `toml:"effort" for:"openai" stray:"say in the prompt how long to think" usual:"the server's own"`
	// mode chat: the system prompt of every chat with a dataset that has none; part of every answer's key
	System *string `toml:"system" for:"local simulated openai hosted" default:"none" range:"text"`
	// the model is asked n times for every record, and not once at temperature 0. Its answers vote: the majority's is the
	// answer, and its share of the n votes the confidence, whatever [confidence] says; each is paid for. So a model
	// without log-probabilities can decide in a cascade
	Samples *rawSamples `toml:"samples" for:"local simulated openai hosted" default:"none"`
	// for cost.model = "price", of every model but a student that the study runs itself
	PriceIn *float64 `toml:"price_in" default:"none" range:"0 or more, currency per million input tokens"`
	// for cost.model = "price"
	PriceOut *float64 `toml:"price_out" default:"none; decisions: 0" range:"0 or more, currency per million output tokens"`
	// for cost.model = "price": of prompt tokens that came from the vendor's cache
	PriceCached *float64 `toml:"price_cached" default:"price_in" range:"0 or more, currency per million cached tokens"`
	// of the prices and of recorded costs; one for all models of a study
	Currency *string `toml:"currency" default:"USD" range:"text"`
	// cost of one answer, for cost.model = "fixed"
	FixedCost *float64 `toml:"fixed_cost" default:"none" range:"0 or more, any unit"`
	// number of parameters, for cost.summary = "signature"
	Params *float64 `toml:"params" fix:"parameters in billions: params = 1.5; leave it out where unknown" default:"those of a known shape; local, launch: counted" range:"more than 0, billions"`
	// the network's shape, for cost.model = "tflops": a known one, or a folder with the model's config.json
	Shape *string `toml:"shape" for:"openai replay" default:"none; local, launch: read from config.json" range:"SHAPES; or a path"`
	// the joint distribution of confidence and error
	Simulated *rawSimulated `toml:"simulated" for:"simulated" stray:"set backend = \"simulated\"" default:"required for simulated"`

	// answers the model gave elsewhere, joined by the example's id: a table, samples of lm-evaluation-harness, an
	// Inspect log, Every Eval Ever or LLMRouterBench (harness/recorded/FORMATS.md). Its content is the model's
	// revision
	Answers *string `toml:"answers" for:"replay" stray:"set backend = \"replay\"" default:"required for replay" range:"a path, ${NAME} is replaced"`
	// replay: further files of the same model's answers. An id may be in several of them if they say the same
	AnswersAlso []string `toml:"answers_also" for:"replay" default:"[]" range:"paths, ${NAME} is replaced"`
	// replay: how the file holds answers; auto: by its content
	AnswersFormat *backends.AnswersFormat `toml:"answers_format" for:"replay" default:"auto"`
	// replay: of lm-eval the filter whose answers count, of Inspect the scorer whose grades do
	AnswersFilter *string `toml:"answers_filter" for:"replay" default:"the only one" range:"text"`
	// replay, a table named .csv: what parts the cells of a row
	AnswersDelim *string `toml:"answers_delimiter" for:"replay" default:"," range:"one character, or tab"`
	// replay: whose answers are wanted, as the file names the model, where one file has the answers of several
	AnswersOf *string `toml:"answers_of" for:"replay" default:"none: the file has one model's" range:"text"`
	// replay: what happens to a model without a confidence that has to decide: refuse ends the study; tie gives
	// all its answers the confidence 0
	NoConfidence *NoConfidence `toml:"without_confidence" for:"replay" default:"refuse"`
	// replay: what a null logprob means: that nobody knows, or minus infinity, below every other value
	NullLogprob *NullLogprob `toml:"null_logprob" for:"replay" default:"unknown"`
	// replay: counts that prompt_tokens (of cached) and completion_tokens (of reasoning) do not include
	CountedApart []countedApart `toml:"counted_apart" for:"replay" default:"[]"`
	// replay: columns of a table of answers (harness/recorded/FORMATS.md). One that is named must be there;
	// another is used where there is one of the default name
	Columns map[string]string `toml:"columns" for:"replay" default:"those of the default names" range:"table of id, model, dataset, text, label, confidence, probs, logprobs, tokens, token_logprobs, logprob, prompt_tokens, completion_tokens, latency, latency_ms, correct, score, cost, currency, cached_tokens, reasoning_tokens, finish_reason = column"`
}

type rawSamples struct {
	// answers to every record, with the seeds 1 to n: a larger n asks for those that are missing
	N *int `toml:"n" default:"required" range:"2 to 1000"`
	// what log-probabilities are divided by before a token is drawn
	Temperature *float64 `toml:"temperature" default:"required" range:"more than 0, up to 10"`
	// tokens are drawn from the fewest that have this probability
	TopP float64 `toml:"top_p" usual:"from all" range:"more than 0, less than 1"`
}

type rawSimulated struct {
	// first shape of the confidence's Beta distribution
	Alpha *float64 `toml:"alpha" default:"required" range:"more than 0"`
	// second shape of the confidence's Beta distribution
	Beta *float64 `toml:"beta" default:"required" range:"more than 0"`
	// error rate at β = 0; intercept + slope·β is clipped to [0,1]
	Intercept *float64 `toml:"intercept" default:"required" range:"a number"`
	// change of the error rate from β = 0 to β = 1
	Slope float64 `toml:"slope" default:"0" range:"a number"`
	// probability that the error's draw is the one all simulated models share
	Rho float64 `toml:"rho" fix:"a share: 0.01 is one in a hundred" default:"0" range:"0 to 1"`
}

// rawBackend is a [backends.NAME] table, with the keys of all kinds.
type rawBackend struct {
	// local: in this process; openai: a server that speaks the OpenAI protocol (vLLM, SGLang, llama.cpp, Ollama,
	// TGI, OpenAI); huggingface: an inference endpoint; hosted: a provider's own API; decisions: a server of decision
	// models (System One, OpenAI's Decisions)
	Kind *rawKind `toml:"kind" default:"required; with launch: openai"`
	// local: requests computed together; openai: texts that a call of an embedder brings. Nothing recorded depends
	// on it
	Batch int `toml:"batch" usual:"64; openai: 32" for:"local openai" range:"1 to 4096"`
	// base URLs, ending before /chat/completions: http://gpu0:8000/v1. All serve the same weights, and share the
	// calls. huggingface: one, the endpoint's own address. hosted: one, a gateway's. decisions: ending before /systemone
	// or /decisions
	URLs []string `toml:"urls" for:"openai huggingface hosted decisions" default:"required for servers that run; hosted: the provider's own" range:"one or more URLs, http or https"`
	// openai: how the run starts the servers of its models, one model after the other, in place of urls
	Launch *backends.Launch `toml:"launch" for:"openai" default:"none: the servers run, at urls"`
	// urls of single models, by their names in the study, in place of urls: for servers that serve one model each
	URLsOf map[string][]string `toml:"urls_of" for:"openai huggingface hosted decisions" default:"none" range:"table of model = URLs"`
	// where the API key is; read when the model is first asked. The key itself is never written in a spec.
	APIKeyEnv *string `toml:"api_key_env" for:"openai huggingface hosted decisions" default:"none" range:"the name of an environment variable"`
	// further headers of every call, their values by environment variable
	HeadersEnv map[string]string `toml:"headers_env" for:"openai" default:"none" range:"table of header = environment variable"`
	// fields put into the body of every request, over ours: { chat_template_kwargs = { enable_thinking = false }
	// }. They change answers, so they change the models' revisions
	Extra map[string]any `toml:"extra" for:"openai hosted" default:"none" range:"a table"`
	// fields left out of every request, for servers that refuse them: ["seed"]
	Drop []string `toml:"drop" for:"openai hosted" default:"[]" range:"names of fields"`
	// share of its models' prices that the provider takes off answers from batch files; 0.5 is half price
	BatchDiscount float64 `toml:"batch_discount" for:"openai" fix:"the share of the price that is taken off: 0.5 is half price" default:"none" range:"0 or more, less than 1"`
	// of one call, from sending it to the last byte of its answer
	Timeout *time.Duration `toml:"timeout" for:"openai huggingface hosted decisions" default:"collect.timeout" range:"a duration: 30s, 5m, 1h"`
	// calls in flight per model, over all its URLs
	Concurrency *int `toml:"concurrency" for:"openai huggingface hosted decisions" default:"collect.concurrency where written, else 16" range:"1 to 1024"`
	// hosted: whose API is asked. Its client passes no log-probabilities: a hosted model is the last of a cascade,
	// or votes (samples). Not tried live
	Provider                    backends.Provider `toml:"provider" for:"hosted" default:"required for hosted"`
	backends.OpenAIOptions      `for:"openai"`
	backends.HuggingFaceOptions `for:"huggingface"`
	backends.DecisionsOptions   `for:"decisions"`
}
