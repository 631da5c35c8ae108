package backends

import "infnet/harness/choice"

// HuggingFaceTask is what a model behind a Hugging Face inference endpoint
// does.
type HuggingFaceTask string

const (
	ZeroShot     HuggingFaceTask = "zero-shot-classification" // scores how well each label describes a text
	ExtractiveQA HuggingFaceTask = "question-answering"       // finds the answer to a question in a passage
)

func (t *HuggingFaceTask) UnmarshalText(b []byte) error {
	return choice.Decode(t, b, "hugging face task", []HuggingFaceTask{ZeroShot, ExtractiveQA})
}

// HuggingFaceOptions are the options of a study's [backends.NAME] that endpoints have alone.
type HuggingFaceOptions struct {
	// what the endpoint does. It counts no tokens: cost.model is latency or fixed
	Task HuggingFaceTask `toml:"task" need:"names"`
	// zero-shot: the prompt's words before the text, such as "Review: "
	Text string `toml:"text" usual:"the beginning of the prompt" range:"text" when:"task=zero-shot-classification"`
	// the words that end the last field, and the prompt
	End string `toml:"end" usual:"question answering: \"\\nAnswer:\"; else the prompt's end" range:"text"`
}

// HuggingFaceConfig opens a model behind a Hugging Face inference endpoint.
//
// Such models take fields, not prompts. Since every model of a cascade gets the same rendered
// prompt, the fields are found by the words in front of them: see its options.
type HuggingFaceConfig struct {
	// URLs is one: a dedicated endpoint's address ("https://NAME.REGION.aws.endpoints.huggingface.cloud"), or the
	// model's path on the router ("https://router.huggingface.co/hf-inference/models/OWNER/NAME").
	Access
	HuggingFaceOptions
}

// Revision returns the revision of a ModelID: the weights' own (a commit, ""
// where unknown) and a hash of the settings that change answers, so that no
// answer under other settings is taken for one under these.
func (c HuggingFaceConfig) Revision(weights string) string {
	return hashedRevision(weights, "infnet hugging face 1", string(c.Task), "", c.Text, "", "", c.End)
}

func (c *HuggingFaceConfig) remote() Remote { return Remote{Access: c.Access} }
