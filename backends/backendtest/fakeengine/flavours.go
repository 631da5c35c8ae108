package fakeengine

// Flavour is what one kind of server offers and how it writes it. The shapes
// are those of the servers' documentation.
type Flavour struct {
	Owner    string // of its models
	Version  string // route that tells the version
	ChatTop  int    // most alternatives; -1 = no log-probabilities
	RawTop   int    // likewise; -2 = no such route
	RawShape string // "lists" or "content"
	Echo     bool
	Tokenize string // "vllm", "llama.cpp"
	TokenIDs bool
	Bytes    bool   // tokens come with bytes
	IDs      bool   // tokens come with numbers
	EndText  bool   // the end token is reported with its text, as <e>
	TopP     bool   // top_p must be below 1
	Finish   string // what it calls the end of an answer; "" = stop
	EOS      bool   // the end token is reported
	Strict   bool   // unknown fields are refused
	Release  string // its version; "" = 1.2.3
}

// Flavours are the servers that the fake can be, by name.
var Flavours = map[string]Flavour{
	"vllm": {Owner: "vllm", Version: "/version", ChatTop: 20, RawTop: 20, RawShape: "lists", Echo: true,
		Tokenize: "vllm", TokenIDs: true, Bytes: true, EOS: true},
	"vllm-old": {Owner: "vllm", Version: "/version", ChatTop: 5, RawTop: 5, RawShape: "lists", Echo: true,
		Tokenize: "vllm", Bytes: true, EOS: true},
	"llama.cpp": {Owner: "llamacpp", Version: "/props", ChatTop: 1000, RawTop: 1000, RawShape: "content",
		Tokenize: "llama.cpp", Bytes: true, IDs: true},
	// python/sglang/srt/entrypoints/openai: completions as lists with text_offset
	// −1, the end token reported, /tokenize without texts.
	"sglang": {Owner: "sglang", Version: "/server_info", ChatTop: 20, RawTop: 20, RawShape: "lists", Echo: true,
		Tokenize: "sglang", Bytes: true, EOS: true, EndText: true},
	// router/src of text-generation-inference: at most five alternatives, no
	// bytes, no log-probabilities of completions, top_p below 1, /info.
	"tgi": {Owner: "m", Version: "/info", ChatTop: 5, RawTop: -1, Tokenize: "tgi", EOS: true, EndText: true, TopP: true},
	// The same before it took over OpenAI's word for the end.
	"tgi-old": {Owner: "m", Version: "/info", ChatTop: 5, RawTop: -1, Tokenize: "tgi", EOS: true, EndText: true,
		Finish: "eos_token"},
	"ollama": {Owner: "library", Version: "/api/version", ChatTop: 20, RawTop: -1, Bytes: true},
	"openai": {Owner: "system", ChatTop: 20, RawTop: -2, Bytes: true, Strict: true},
	"hosted": {Owner: "someone", ChatTop: -1, RawTop: -2},
	// transformers serve 5.19, recorded: texts alone.
	"transformers": {ChatTop: -1, RawTop: -1},
}
