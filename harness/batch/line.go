package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/strictjson"
)

// Outcome is what a line of an output says about its request.
type Outcome struct {
	CustomID string
	Format   Format
	Reply    backends.BatchReply
	Failure  *backends.Failure // the provider failed, and there is no reply; nil = there is one
	Unasked  string            // why the request was never asked: batch_expired, batch_cancelled; "" = it was
}

// wireOutcome is a line of an output or error file, as OpenAI and vLLM write it.
type wireOutcome struct {
	CustomID *string `json:"custom_id"`
	Response *struct {
		Status    *int            `json:"status_code"`
		RequestID string          `json:"request_id"`
		Body      json.RawMessage `json:"body"`
	} `json:"response"`
	Error  json.RawMessage `json:"error"`
	Method json.RawMessage `json:"method"` // of a request
}

func readOutcome(text []byte) (o Outcome, err error) {
	var w wireOutcome
	if err := strictjson.Unmarshal(text, &w); err != nil {
		return o, fmt.Errorf("is no JSON object of a batch's output: %w", err)
	}
	switch {
	case w.CustomID == nil:
		return o, errors.New("has no custom_id")
	case w.Response == nil && httpfailure.Says(w.Method):
		return o, errors.New("is a request, and not what came back for one")
	case w.Response == nil && !httpfailure.Says(w.Error):
		return o, errors.New("has neither a response nor an error")
	case w.Response != nil && w.Response.Status == nil:
		return o, errors.New("has a response without a status_code")
	}
	o.CustomID, o.Format = *w.CustomID, OpenAI
	if w.Response == nil {
		o.failed(w.Error)
		return o, nil
	}
	if strings.HasPrefix(w.Response.RequestID, "vllm-") {
		o.Format = VLLM
	}
	o.Reply = backends.BatchReply{Status: *w.Response.Status, Body: w.Response.Body}
	switch {
	case !httpfailure.Says(w.Error):
	case o.Reply.Status == 200 && httpfailure.Says(w.Response.Body):
		o.Failure = httpfailure.BadResponse("the line has an answer and also the error %s",
			httpfailure.Clean(string(w.Error)))
	case !httpfailure.Says(w.Response.Body): // vLLM
		o.Reply.Body = asError(w.Error)
	}
	return o, nil
}

func (o *Outcome) failed(text json.RawMessage) {
	var e struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	_ = json.Unmarshal(text, &e)
	if e.Code == "batch_expired" || e.Code == "batch_cancelled" {
		o.Unasked = e.Code
		return
	}
	message := strings.TrimSpace(e.Code + " " + e.Message)
	if message == "" {
		message = string(text)
	}
	o.Failure = &backends.Failure{Cause: backends.ServerError, Message: httpfailure.Clean(message)}
}

// asError is the body that a live server would have sent with an error: {"error": …}.
func asError(text json.RawMessage) []byte {
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(text, &body) == nil && body.Error != nil {
		return text
	}
	return fmt.Appendf(nil, `{"error":%s}`, text)
}

// strange says what a file is that is no output of a batch, by its beginning; "" = it may be one.
func strange(head []byte) string {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte(bom)))
	switch {
	case len(head) == 0:
		return "is empty: the output of a batch that has answered nothing, or of one that has not ended"
	case bytes.HasPrefix(head, []byte("PK")):
		return "is a zip archive: unpack it, or compress the file with gzip"
	case head[0] == '<':
		return "is an HTML or XML page: was it downloaded without the API key?"
	case head[0] == '[':
		return "is one JSON list, and the output of a batch has a JSON object on every line: name the file as the " +
			"provider wrote it"
	case head[0] != '{':
		return ""
	}
	var o struct {
		Infnet string          `json:"infnet"`
		Object string          `json:"object"`
		Status string          `json:"status"`
		Method json.RawMessage `json:"method"`
		Reply  json.RawMessage `json:"response"`
		Error  json.RawMessage `json:"error"`
		ID     *string         `json:"custom_id"`
	}
	first := json.NewDecoder(bytes.NewReader(head))
	if first.Decode(&o) != nil {
		return ""
	}
	alone := len(bytes.TrimSpace(head[first.InputOffset():])) == 0
	switch {
	case o.Infnet == "batch":
		return "is the manifest that infnet batch write made: name the provider's output"
	case o.Infnet != "":
		return fmt.Sprintf("is a file of infnet's own (%s): name the provider's output", o.Infnet)
	case o.Object == "batch":
		return fmt.Sprintf("describes a batch (its status is %q), and is not its output: download the files that its "+
			"output_file_id and error_file_id name", o.Status)
	case o.Method != nil && o.Reply == nil:
		return "has the requests of a batch, and not its output: send it to the provider, and name what comes back"
	case o.ID == nil && !httpfailure.Says(o.Reply) && httpfailure.Says(o.Error) && alone:
		return "is an error message of the provider, and not the output of a batch: " +
			httpfailure.Clean(string(o.Error))
	}
	return ""
}

const bom = "\xef\xbb\xbf"
