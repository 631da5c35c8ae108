// Package decide answers over HTTP what infnet route answers over files: accept, defer or abstain. It owns
// the requests it reads (a confidence, or the student's reply as its server sent it), the form of its answers, and the
// server around them. It refuses to ask any model, to keep anything between two requests, and to decide about what it
// does not understand: that is status 400, with what is wrong and what to do.
//
// Its opinion: it is no gateway. Whoever calls it has the student's reply, and asks the master himself.
package decide

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"infnet/harness/fault"
	"infnet/harness/routing"
)

// mostBody is how many bytes a request may have.
const mostBody = 1 << 20

// Options say how requests are read and who may send them.
type Options struct {
	Key    string   // that a request must bear; "" = none
	Labels []string // of a classification, in class order; nil = the classes that have a threshold
	// Served is the student's name in replies; "" = its name on the hub, and of decision models, whose replies name their
	// version, any.
	Served   string
	Question string // of a System One reply; "" = its only one
	// Fields names the members of a confidence's object, as in routing.Options, and has the seed of a mixture's coins.
	Fields routing.Options
}

// Decision is the answer to a request.
type Decision struct {
	Decision   string  `json:"decision"`            // accept, defer or abstain
	Threshold  any     `json:"threshold,omitempty"` // a number or "inf"; none for an unknown class
	Class      string  `json:"class,omitempty"`     // that the threshold is for
	Confidence float64 `json:"confidence"`          // before calibration
	Policy     string  `json:"policy"`              // SHA-256 of the thresholds file
}

// verdict is a decision as Portkey's webhooks want it: verdict, true = go on with the answer; data is shown beside it
// (Portkey-AI/docs-core: integrations/guardrails/bring-your-own-guardrails.mdx; Portkey-AI/gateway:
// plugins/default/webhook.ts).
type verdict struct {
	Verdict bool     `json:"verdict"`
	Data    Decision `json:"data"`
}

// Decider decides request by request. It is safe for concurrent use.
type Decider struct {
	rule    *routing.Rule
	options Options
	key     [sha256.Size]byte
	replies *replies
}

// New prepares a decider.
func New(r *routing.Rule, o Options) (*Decider, error) {
	d := &Decider{rule: r, options: o, key: sha256.Sum256([]byte("Bearer " + o.Key))}
	var err error
	d.replies, err = reader(r, o)
	return d, err
}

// envelope tells the forms of a request apart, by the members that only one of them has.
type envelope struct {
	Choices   json.RawMessage `json:"choices"`   // OpenAI's chat completion or completion
	Answers   json.RawMessage `json:"answers"`   // System One
	EventType *string         `json:"eventType"` // Portkey's webhook
	Response  json.RawMessage `json:"response"`  // of the webhook; anything, elsewhere
}

// Decide decides about a request's body. webhook says that it is Portkey's.
func (d *Decider) Decide(ctx context.Context, body []byte) (out Decision, webhook bool, err error) {
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil {
		return out, false, fmt.Errorf("the body is no JSON object of a known form (%w): send {\"confidence\": 0.83}, with a "+
			"\"class\" where the thresholds are by class, or the student's reply as its server sent it", err)
	}
	if e.EventType != nil {
		if *e.EventType != "afterRequestHook" {
			return out, true, fmt.Errorf("a webhook of the event %q has no answer of a model yet: use it as a check of the "+
				"output, afterRequestHook", *e.EventType)
		}
		var response struct {
			JSON json.RawMessage `json:"json"`
		}
		err := json.Unmarshal(e.Response, &response)
		body, webhook, e = response.JSON, true, envelope{}
		if err != nil || json.Unmarshal(body, &e) != nil || e.Choices == nil {
			return out, true, errors.New("the webhook's response.json is no chat completion: send the student's own reply")
		}
	}
	if webhook && d.rule.Abstains() {
		return out, true, errors.New("a webhook's verdict is to go on with the answer or not, and this policy may also " +
			"leave a query unanswered: send the reply itself to /decide, or take a policy that does not abstain")
	}
	var decided routing.Decision
	switch {
	case e.Choices != nil && e.Answers != nil:
		return out, webhook, errors.New("the body has choices and answers: send one reply, as the server sent it")
	case e.Choices != nil:
		decided, err = d.replies.openai(ctx, body)
	case e.Answers != nil:
		decided, err = d.replies.decision(body)
	default:
		if decided, err = d.rule.One(body, d.options.Fields); err != nil {
			err = fmt.Errorf("%w (want such as {\"confidence\": 0.83, \"class\": \"a\"}, the class where thresholds are by "+
				"class)", err)
		}
	}
	if err != nil {
		return out, webhook, err
	}
	return Decision{decided.Decision, decided.Threshold, decided.Class, decided.Beta, d.rule.Hash}, webhook, nil
}

// ServeHTTP answers POST /decide.
func (d *Decider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch given := sha256.Sum256([]byte(r.Header.Get("Authorization"))); {
	case r.URL.Path != "/decide":
		refuse(w, http.StatusNotFound, fmt.Errorf("there is no %q here: POST to /decide", r.URL.Path))
		return
	case d.options.Key != "" && subtle.ConstantTimeCompare(given[:], d.key[:]) != 1:
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, http.StatusUnauthorized, errors.New("the key is missing or wrong: send the header Authorization: Bearer "+
			"KEY"))
		return
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed, fmt.Errorf("method %s: POST to /decide", r.Method))
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
	if err != nil {
		var long *http.MaxBytesError
		if errors.As(err, &long) {
			refuse(w, http.StatusRequestEntityTooLarge, fmt.Errorf("the body has more than %d bytes: send the reply without "+
				"the request that it answers", mostBody))
			return
		}
		refuse(w, http.StatusBadRequest, errors.New("the body breaks off: send it again"))
		return
	}
	out, webhook, err := d.Decide(r.Context(), body)
	switch {
	case err != nil:
		refuse(w, http.StatusBadRequest, err)
	case webhook:
		write(w, http.StatusOK, verdict{out.Decision == routing.Accept, out})
	default:
		write(w, http.StatusOK, out)
	}
}

func refuse(w http.ResponseWriter, status int, err error) {
	write(w, status, map[string]string{"error": strings.ToValidUTF8(err.Error(), "?")})
}

func write(w http.ResponseWriter, status int, v any) {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(v); err != nil {
		panic(err) // numbers and texts
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // whoever asked is gone
}

// Limits of a connection. A decision takes microseconds; a body may come over a slow line.
const (
	readHeader = 5 * time.Second
	transfer   = 15 * time.Second
	idle       = 2 * time.Minute
	farewell   = 5 * time.Second // for requests under way when the server is told to stop
)

// Serve answers requests at an address until ctx is done, and those under way to their end. Port 0 is one that is free.
// An address that other machines reach must be meant (public), and needs a key. ready is called with the address in
// use.
func Serve(ctx context.Context, d *Decider, address string, public bool, ready func(address string)) error {
	if err := check(address, public, d.options.Key != ""); err != nil {
		return fault.Usage.Wrap(err)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fault.Usage.Wrap(fmt.Errorf("cannot listen at %s: %w; port 0 takes one that is free", address, err))
	}
	server := &http.Server{
		Handler: d, ReadHeaderTimeout: readHeader, ReadTimeout: transfer, WriteTimeout: transfer, IdleTimeout: idle,
		MaxHeaderBytes: 1 << 15, ErrorLog: log.New(io.Discard, "", 0),
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer cancel()
		if server.Shutdown(last) != nil {
			server.Close()
		}
	}()
	ready(listener.Addr().String())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-stopped
	return nil
}

// check refuses an address that is none, and one that other machines reach where that is not meant.
func check(address string, public, key bool) error {
	at, err := netip.ParseAddrPort(address)
	switch {
	case err != nil:
		return fmt.Errorf("--listen %s is no address and port: write such as 127.0.0.1:8090 or [::1]:8090", address)
	case at.Addr().IsLoopback():
		return nil
	case !public:
		return fmt.Errorf("--listen %s is reached by other machines: say --public where that is meant, or listen at "+
			"127.0.0.1", address)
	case !key:
		return fmt.Errorf("--listen %s is reached by other machines: it needs a key, with --key-file", address)
	}
	return nil
}
