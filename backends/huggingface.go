package backends

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"infnet/harness/choice"
)

// HuggingFaceTask is what a model behind a Hugging Face inference endpoint
// does.
type HuggingFaceTask string

// The tasks.
const (
	ZeroShot     HuggingFaceTask = "zero-shot-classification" // scores how well each label describes a text
	ExtractiveQA HuggingFaceTask = "question-answering"       // finds the answer to a question in a passage
)

// HuggingFaceTasks lists the valid tasks.
func HuggingFaceTasks() []HuggingFaceTask { return []HuggingFaceTask{ZeroShot, ExtractiveQA} }

// UnmarshalText accepts a task's name.
func (t *HuggingFaceTask) UnmarshalText(b []byte) error {
	return choice.Decode(t, b, "hugging face task", HuggingFaceTasks())
}

// HuggingFaceConfig opens a model behind a Hugging Face inference endpoint.
//
// Such models take fields, not prompts. Since every model of a cascade gets the same rendered
// prompt, the fields are found by the words in front of them: see Text, Context, Question and End.
type HuggingFaceConfig struct {
	// URL is where the model answers: a dedicated endpoint's address
	// ("https://NAME.REGION.aws.endpoints.huggingface.cloud"), or its path on
	// the router ("https://router.huggingface.co/hf-inference/models/OWNER/NAME").
	// Required: there is no other host any more. http or https, without user,
	// password, query and fragment. Not part of an answer's key.
	URL string

	Task HuggingFaceTask // required

	// Token goes into the Authorization header; "" = read it from the
	// environment variable TokenEnv, and where that is "" too, send none.
	Token    Secret
	TokenEnv string

	// Hypothesis is the sentence that a zero-shot model judges, with {} for the label: "The
	// sentiment of this review is {}."; "" = the server's own, "This example is {}.".
	Hypothesis string

	// Text precedes a zero-shot model's text in the prompt ("Review: "); the text begins after its
	// first occurrence. "" = the text begins with the prompt.
	Text string

	// Context and Question precede the passage and the question; "" = "Passage: " and "\nQuestion:
	// ". The one that comes first in the prompt begins behind its first occurrence. A passage may
	// hold the words before the question again, a question must not hold the words before the
	// passage.
	Context, Question string

	// End is what ends the last field, and the prompt but for white space:
	// "\nSentiment:". "" = "\nAnswer:" for ExtractiveQA, the prompt's own end
	// for ZeroShot.
	End string

	Timeout     time.Duration // of one call, to the last byte of its answer; 0 = 2 min
	Concurrency int           // connections kept open for calls at the same time, ≥ 1; 0 = 16
	MaxBody     int64         // longest response in bytes; 0 = 4 MiB
}

// Revision returns the revision of a ModelID: the weights' own (a commit, ""
// where unknown) and a hash of the settings that change answers, so that no
// answer under other settings is taken for one under these.
func (c HuggingFaceConfig) Revision(weights string) string {
	var h hashed
	h.text("infnet hugging face 1", string(c.Task), c.Hypothesis, c.Text, c.Context, c.Question, c.End)
	sum := sha256.Sum256(h.of)
	return fmt.Sprintf("%s+%s", weights, hex.EncodeToString(sum[:8]))
}

var _ RemoteSettings = (*HuggingFaceConfig)(nil)

// Traits of Hugging Face endpoints, which count no tokens.
func (*HuggingFaceConfig) Traits() Traits { return Traits{Answers: true, Remote: true} }

// Remote describes the endpoint, which has one address and no name for its
// model.
func (c *HuggingFaceConfig) Remote() Remote {
	return Remote{URLs: []string{c.URL}, KeyEnv: c.TokenEnv, Concurrency: c.Concurrency}
}
