package recorded

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"infnet/backends"
	"infnet/harness/dataset/files"
	"infnet/harness/regular"
)

// errEnough stops reading early, once the format is known.
var errEnough = errors.New("enough")

// detect returns the format: an Inspect log is one object with samples, the
// evaluation harness's lines have a doc_id and responses, all else is a table.
func detect(ctx context.Context, o Options) (backends.AnswersFormat, error) {
	name := strings.ToLower(o.Path)
	if strings.HasSuffix(name, ".eval") {
		return "", errors.New("a packed Inspect log: write it as JSON first (inspect log convert --to json)")
	}
	if strings.HasSuffix(name, ".json") {
		f, err := open(o)
		if err != nil {
			return "", err
		}
		defer f.Close()
		var head struct {
			Eval    json.RawMessage `json:"eval"`
			Samples json.RawMessage `json:"samples"`
		}
		if json.NewDecoder(f).Decode(&head) == nil && head.Eval != nil {
			return backends.AnswersInspect, nil
		}
	}
	format := backends.AnswersTable
	err := files.Each(ctx, files.Options{Path: o.Path, FS: o.FS, Separator: o.Separator}, func(r files.Row) error {
		if r.Has("doc_id") && (r.Has("resps") || r.Has("filtered_resps")) {
			format = backends.AnswersLMEval
		}
		return errEnough
	})
	if err != nil && !errors.Is(err, errEnough) {
		return "", err
	}
	return format, nil
}

func open(o Options) (io.ReadCloser, error) {
	if o.FS != nil {
		return o.FS.Open(o.Path)
	}
	return regular.Open(o.Path)
}
