package recorded

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
)

// Detect returns a file's format, by its content: a zip archive and an object with samples are Inspect logs; lines with
// a doc_id and responses are of the evaluation harness; all else is a table. A pickle is refused.
func Detect(o Options) (Format, error) {
	f, err := open(o)
	if err != nil {
		return "", err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	start, _ := in.Peek(16)
	switch name := strings.ToLower(o.Path); {
	case len(start) == 0:
		return "", fmt.Errorf("%w: it has no byte", dataset.ErrEmpty)
	case isPickle(name, start):
		return "", errPickle
	case bytes.HasPrefix(start, []byte("PK\x03\x04")), bytes.HasPrefix(start, []byte("PK\x05\x06")):
		return Inspect, nil
	case !bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\xef\xbb\xbf")), " \t\r\n"), []byte("{")):
		return Table, nil
	}
	keys := map[string]bool{}
	// Whoever reads it says what is wrong with it.
	_ = eachElement(newFinite(in), func(key string, _ json.RawMessage) error {
		keys[key] = true
		return nil
	}, func(int, json.RawMessage) error { return errEnough })
	switch name := strings.TrimSuffix(strings.ToLower(o.Path), ".gz"); {
	case len(keys) > 0 && (strings.HasSuffix(name, ".csv") || strings.HasSuffix(name, ".tsv")):
		return "", errors.New("it holds JSON, not cells: end its name in .jsonl, with one object a line")
	case keys["samples"] && keys["eval"]:
		return Inspect, nil
	case keys["doc_id"] && (keys["resps"] || keys["filtered_resps"]):
		return LMEval, nil
	}
	return Table, nil
}

// errPickle refuses a pickle.
var errPickle = errors.New("a Python pickle, which runs code when it is read, so it is never read here: convert one " +
	"that you trust, python -c \"import pandas as p; p.read_pickle('FILE').to_json('FILE.jsonl', orient='records', " +
	"lines=True)\", and name that file")

// isPickle recognises pickles by their first bytes, or where those say nothing by the name.
func isPickle(name string, start []byte) bool {
	if len(start) > 1 && start[0] == 0x80 && start[1] >= 1 && start[1] <= 5 { // protocol 2 to 5
		return true
	}
	for _, old := range []string{"(dp", "(lp", "ccopy_reg", "c__builtin__", "cpandas", "cnumpy"} { // protocol 0
		if bytes.HasPrefix(start, []byte(old)) {
			return true
		}
	}
	name = strings.TrimSuffix(name, ".gz")
	return strings.HasSuffix(name, ".pkl") || strings.HasSuffix(name, ".pickle")
}

// open opens a file, decompressed where its content is gzip.
func open(o Options) (io.ReadCloser, error) {
	f, err := files.OpenFile(files.Options{Path: o.Path, FS: o.FS})
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(f, 1<<16)
	if start, _ := in.Peek(2); !bytes.Equal(start, []byte{0x1f, 0x8b}) {
		return readCloser{in, f}, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("a gzip file that cannot be read: %w", err)
	}
	return readCloser{z, f}, nil
}

type readCloser struct {
	io.Reader
	io.Closer
}

// errEnough stops reading early.
var errEnough = errors.New("enough")

// objects passes the samples of an Inspect log in JSON to use, whose head stands before them.
func (l *log) objects(ctx context.Context, use func(place string, r files.Row) error) error {
	f, err := open(l.Options)
	if err != nil {
		return err
	}
	defer f.Close()
	return eachElement(newFinite(f), l.head, func(n int, raw json.RawMessage) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return object(fmt.Sprintf("sample %d", n), raw, use)
	})
}

func object(place string, raw []byte, use func(place string, r files.Row) error) error {
	values, err := files.Object(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	return use(place, files.Row{Values: values})
}

// head reads the key of a log's object that says whose answers they are, and to what.
func (l *log) head(key string, value json.RawMessage) error {
	if key != "eval" {
		return nil
	}
	var eval struct{ Model, Task string }
	if err := json.Unmarshal(value, &eval); err != nil {
		return fmt.Errorf("eval: %w", err)
	}
	l.model, l.task = eval.Model, eval.Task
	return nil
}

// eachElement passes the samples of a JSON object to use, one after another, and the other keys with their values to
// other, "samples" without. The object is never in memory as a whole.
func eachElement(in io.Reader, other func(key string, value json.RawMessage) error,
	use func(n int, raw json.RawMessage) error) error {
	dec := json.NewDecoder(in)
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("it is no JSON object: %w", orEnd(err))
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return orEnd(err)
		}
		key, _ := t.(string)
		var value json.RawMessage
		if key != "samples" {
			err = dec.Decode(&value)
		}
		if err != nil {
			return orEnd(err)
		}
		if err := other(key, value); err != nil {
			return err
		}
		if key != "samples" {
			continue
		}
		if t, err := dec.Token(); err != nil || t != json.Delim('[') {
			return errors.New("samples is no list")
		}
		for n := 1; dec.More(); n++ {
			var raw json.RawMessage
			if err := dec.Decode(&raw); err != nil {
				return fmt.Errorf("sample %d: %w", n, orEnd(err))
			}
			if err := use(n, raw); err != nil {
				return err
			}
		}
		if _, err := dec.Token(); err != nil {
			return orEnd(err)
		}
	}
	return nil
}

// orEnd says of an end of the file that it came too early.
func orEnd(err error) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON breaks off: was the file copied whole?")
	}
	return err
}
