package backends

import (
	"context"
	"encoding/json"
)

// Batch makes the calls that go into a provider's batch file, and reads the replies that come back in
// another one. Both are those of a model that is asked live: the same bodies, the same checks. It is safe
// for concurrent use.
type Batch interface {
	// Call is the call that asks a request. The failure says why no call can ask it.
	Call(ctx context.Context, r Request) (BatchCall, *Failure)

	// Answer reads the reply to a request. The answer has no latency, since nobody measured any.
	Answer(ctx context.Context, r Request, reply BatchReply) Answer
}

// BatchCall is a call that waits in a batch file.
type BatchCall struct {
	URL  string // the route, such as /v1/chat/completions
	Body json.RawMessage
}

// BatchReply is what came back for a call.
type BatchReply struct {
	Status int // HTTP
	Body   []byte
}

// Batched reports whether a classification that is asked in this way is one call that needs nothing else of
// the server, so that it can wait in a batch file.
func (m LabelMode) Batched() bool {
	return m == LabelsTopLogprobs || m == LabelsText
}
