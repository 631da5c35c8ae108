// Package batch owns the files by which a provider answers requests later and for less: the requests of a
// study as JSON lines, a manifest next to them, and the lines of the provider's output. It refuses to make the
// body of a request and to judge a reply, which the backend does as if both were live, and to send anything.
//
// Its opinion: a request is named by its key, so whatever comes back finds its place, in any order, from any
// file, as often as it is read.
package batch

import (
	"fmt"

	"infnet/backends"
	"infnet/harness/choice"
)

// Format is whose batch files are written. Their outputs have one form.
type Format string

// The formats.
const (
	OpenAI Format = "openai" // the Batch API of OpenAI and its like
	VLLM   Format = "vllm"   // vllm run-batch
)

// UnmarshalText accepts a format's name.
func (f *Format) UnmarshalText(b []byte) error {
	return choice.Decode(f, b, "batch format", []Format{OpenAI, VLLM})
}

// Limits of one input file, by the API reference of OpenAI (Create batch, input_file_id). vllm run-batch has none: it
// reads the whole file before it starts.
const (
	OpenAIRequests = 50_000
	OpenAIBytes    = 200_000_000
)

// Limits bound a file; 0 = no limit.
type Limits struct {
	Requests int
	Bytes    int64
}

// Limits of the format.
func (f Format) Limits() Limits {
	if f == OpenAI {
		return Limits{OpenAIRequests, OpenAIBytes}
	}
	return Limits{}
}

// chats is the only route of vllm run-batch that answers requests.
const chats = "/v1/chat/completions"

// Refuses says why a model cannot be asked in files of this format, and what to do about it; nil = it can. labels
// is how its classifications are asked; "" = it has none.
func (f Format) Refuses(mode backends.Mode, labels backends.LabelMode) error {
	switch {
	case f == VLLM && mode == backends.Raw:
		return fmt.Errorf("vllm run-batch takes chats alone (%s), and the model is asked in mode %q: set mode = %q, which "+
			"has answers of its own, or ask live", chats, mode, backends.Chat)
	case labels == "":
		return nil
	case labels == backends.LabelsEcho:
		return fmt.Errorf("labels = %q makes a call for every label, and an answer of a batch is one call: set labels = %q, "+
			"which has answers of its own, or ask live", labels, backends.LabelsTopLogprobs)
	case labels == backends.LabelsTokenIDs:
		return fmt.Errorf("labels = %q needs the numbers of the labels' tokens, which only a running server tells: set "+
			"labels = %q, which has answers of its own, or ask live", labels, backends.LabelsTopLogprobs)
	}
	return nil
}
