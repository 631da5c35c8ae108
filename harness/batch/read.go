package batch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/strictjson"
	"infnet/harness/regular"
	"infnet/harness/spool"
)

// Output is the lines of output files, by the keys of their requests, kept in a spool. It is safe for concurrent use
// once it is complete.
type Output struct {
	Repeated int      // lines about a request that an earlier line is about
	Problems []string // the first few lines that cannot be read: FILE:LINE: why
	Broken   int      // how many cannot be
	Expired  int      // lines about requests that the provider never asked
	Strange  []string // custom_ids that are no key

	at   map[backends.Key][]place
	kept spool.Spool
}

type place struct {
	at int64
	n  int
}

// Limits of what is read.
const (
	mostProblems = 5
	maxLine      = 256 << 20 // bytes
)

// Read scans output and error files. Errors are of files that are no output at all: nothing of any of them may be used
// then. A line that cannot be read is a problem.
func Read(ctx context.Context, paths []string) (*Output, error) {
	o := &Output{at: map[backends.Key][]place{}}
	for _, path := range paths {
		if err := o.scan(ctx, path); err != nil {
			return nil, errors.Join(err, o.Close())
		}
	}
	return o, nil
}

// Close lets go of the lines.
func (o *Output) Close() error { return o.kept.Close() }

// Has reports whether a line answers a request, or says that it failed.
func (o *Output) Has(k backends.Key) bool { return len(o.at[k]) > 0 }

// Of returns what the lines about a request say, in the order of the files.
func (o *Output) Of(k backends.Key) ([]Outcome, error) {
	var out []Outcome
	for _, p := range o.at[k] {
		text := make([]byte, p.n)
		if err := o.kept.Read(text, p.at); err != nil {
			return nil, err
		}
		found, err := readOutcome(text)
		if err != nil {
			return nil, err
		}
		out = append(out, found)
	}
	return out, nil
}

func (o *Output) scan(ctx context.Context, path string) error {
	f, err := regular.Open(path)
	if err != nil {
		return fmt.Errorf("the output of a batch: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	n, good, first := 0, 0, "it is empty"
	for lines.Scan() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n++
		text := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\xef\xbb\xbf")))
		if len(text) == 0 {
			continue
		}
		switch why, err := o.take(text); {
		case err != nil:
			return err
		case why == nil:
			good++
		default:
			problem := fmt.Sprintf("%s:%d: the line %v", path, n, why)
			if o.Broken == 0 || good == 0 && first == "it is empty" {
				first = problem
			}
			if o.Broken++; len(o.Problems) < mostProblems {
				o.Problems = append(o.Problems, problem)
			}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", path, n+1, err)
	}
	if good == 0 {
		return fmt.Errorf("%s is no output of a batch: none of its %d lines is about a request; %s; name the files that "+
			"the provider's output_file_id and error_file_id name", path, n, first)
	}
	return nil
}

// take notes what a line says; why is what is wrong with it.
func (o *Output) take(text []byte) (why, err error) {
	said, why := readOutcome(text)
	if why != nil {
		return why, nil
	}
	var key backends.Key
	switch {
	case len(said.CustomID) != 2*len(key) || key.UnmarshalText([]byte(said.CustomID)) != nil ||
		key.String() != said.CustomID:
		o.Strange = append(o.Strange, said.CustomID)
		return nil, nil
	case said.expired:
		o.Expired++
		return nil, nil
	}
	at, err := o.kept.Add(text)
	if o.Has(key) {
		o.Repeated++
	}
	o.at[key] = append(o.at[key], place{at, len(text)})
	return nil, err
}

// Outcome is what a line of an output says about its request.
type Outcome struct {
	CustomID string
	Reply    backends.BatchReply
	Failure  *backends.Failure // the provider failed, and there is no reply; nil = there is one

	expired bool // the request was never asked: batch_expired, batch_cancelled
}

// readOutcome reads a line of an output or error file, as OpenAI and vLLM write it.
func readOutcome(text []byte) (o Outcome, err error) {
	var w struct {
		CustomID *string `json:"custom_id"`
		Response *struct {
			Status *int            `json:"status_code"`
			Body   json.RawMessage `json:"body"`
		} `json:"response"`
		Error  json.RawMessage `json:"error"`
		Method json.RawMessage `json:"method"` // of a request
	}
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
	o.CustomID = *w.CustomID
	if w.Response == nil {
		o.failed(w.Error)
		return o, nil
	}
	o.Reply = backends.BatchReply{Status: *w.Response.Status, Body: w.Response.Body}
	switch {
	case !httpfailure.Says(w.Error):
	case o.Reply.Status == 200 && httpfailure.Says(w.Response.Body):
		o.Failure = httpfailure.BadResponse("the line has an answer and also the error %s",
			httpfailure.Clean(string(w.Error)))
	case !httpfailure.Says(w.Response.Body): // vLLM: the body that a live server would have sent
		var body struct {
			Error json.RawMessage `json:"error"`
		}
		if o.Reply.Body = w.Error; json.Unmarshal(w.Error, &body) != nil || body.Error == nil {
			o.Reply.Body = fmt.Appendf(nil, `{"error":%s}`, w.Error)
		}
	}
	return o, nil
}

func (o *Outcome) failed(text json.RawMessage) {
	var e struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	_ = json.Unmarshal(text, &e)
	if o.expired = e.Code == "batch_expired" || e.Code == "batch_cancelled"; o.expired {
		return
	}
	message := strings.TrimSpace(e.Code + " " + e.Message)
	if message == "" {
		message = string(text)
	}
	o.Failure = &backends.Failure{Cause: backends.ServerError, Message: httpfailure.Clean(message)}
}
