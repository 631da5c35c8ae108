package batch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"path/filepath"

	"infnet/backends"
	"infnet/harness/store"
)

// Request is one request of a batch.
type Request struct {
	Example string // its record, for messages
	Key     backends.Key
	Call    backends.BatchCall
}

type line struct {
	CustomID backends.Key    `json:"custom_id"`
	Method   string          `json:"method"`
	URL      string          `json:"url"`
	Body     json.RawMessage `json:"body"`
}

// WriteParts writes requests into as many files as the limits ask for: NAME-001.jsonl, NAME-002.jsonl, ….
func WriteParts(dir, name string, limits Limits, requests iter.Seq2[Request, error]) (parts []Part, err error) {
	next, stop := iter.Pull2(requests)
	defer stop()
	p := &puller{next: next, limits: limits}
	if err := p.pull(); err != nil {
		return nil, err
	}
	for p.line != nil {
		part := Part{Name: fmt.Sprintf("%s-%03d.jsonl", name, len(parts)+1)}
		hash := sha256.New()
		err := store.WriteTo(filepath.Join(dir, part.Name), func(w io.Writer) error {
			return p.fill(io.MultiWriter(w, hash), &part)
		})
		if err != nil {
			return parts, err
		}
		part.SHA256 = hex.EncodeToString(hash.Sum(nil))
		parts = append(parts, part)
	}
	return parts, nil
}

// puller holds the line that comes next.
type puller struct {
	next   func() (Request, error, bool)
	limits Limits
	line   []byte // with its line feed; nil = there is none
}

func (p *puller) pull() error {
	r, err, ok := p.next()
	if p.line = nil; err != nil || !ok {
		return err
	}
	text, err := json.Marshal(line{r.Key, "POST", r.Call.URL, r.Call.Body})
	if err != nil {
		return err
	}
	if n := int64(len(text)) + 1; p.limits.Bytes > 0 && n > p.limits.Bytes {
		return fmt.Errorf("record %s: its request alone has %d bytes, and a file may have %d: shorten its texts, or leave "+
			"the record out", r.Example, n, p.limits.Bytes)
	}
	p.line = append(text, '\n')
	return nil
}

func (p *puller) fill(w io.Writer, part *Part) error {
	for p.line != nil {
		n := int64(len(p.line))
		if l := p.limits; l.Requests > 0 && part.Requests == l.Requests || l.Bytes > 0 && part.Bytes+n > l.Bytes {
			return nil
		}
		if _, err := w.Write(p.line); err != nil {
			return err
		}
		part.Requests, part.Bytes = part.Requests+1, part.Bytes+n
		if err := p.pull(); err != nil {
			return err
		}
	}
	return nil
}
