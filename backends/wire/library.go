package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"infnet/backends"
)

// Placeholder is the address that a library is given. The real one takes its place, call by call.
const Placeholder = "http://model.invalid"

// Exchange is a call that a library makes. It travels in the call's context, so that calls cannot be mixed up.
type Exchange struct {
	Shape func(body []byte) ([]byte, error)               // what is sent in place of what the library wrote; nil = that
	Read  func(*Reply) (body []byte, f *backends.Failure) // what the library is to read in place of the reply

	Reply *Reply // what came back; nil = the library made no call
	Err   error  // of the call, as Wire.Call returns it
}

type exchangeKey struct{}

// Context returns a context in which calls of a library are this exchange.
func (x *Exchange) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// Do makes a Wire the HTTP client of a library. The error only stops the library; what happened is in the exchange.
func (w *Wire) Do(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*Exchange)
	if !ok {
		return nil, errors.New("a library made a call without an exchange in its context")
	}
	body, err := io.ReadAll(req.Body)
	if err == nil && x.Shape != nil {
		body, err = x.Shape(body)
	}
	if err != nil {
		x.Err = &backends.Failure{Cause: backends.Internal, Message: "the library's request: " + err.Error()}
		return nil, x.Err
	}
	header := req.Header.Clone()
	for _, name := range []string{"Authorization", "X-Api-Key", "Content-Length", "Accept-Encoding"} {
		header.Del(name) // what libraries are given in the key's place
	}
	var read []byte
	x.Reply, x.Err = w.Call(req.Context(), Call{
		Path: strings.TrimPrefix(req.URL.String(), Placeholder), Body: body, Header: header,
		Read: func(r *Reply) (f *backends.Failure) {
			read, f = x.Read(r)
			return f
		},
	})
	if x.Err != nil {
		return nil, x.Err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		ContentLength: int64(len(read)), Body: io.NopCloser(bytes.NewReader(read)), Request: req,
	}, nil
}

// Merged puts fields into a JSON object, over those there; nil values remove fields. Numbers already there keep their
// digits.
func Merged(body []byte, fields map[string]any) ([]byte, error) {
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &all); err != nil {
		return nil, fmt.Errorf("no JSON object: %w", err)
	}
	for name, v := range fields {
		if v == nil {
			delete(all, name)
			continue
		}
		b, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", name, err)
		}
		all[name] = b
	}
	return json.Marshal(all)
}
