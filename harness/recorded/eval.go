package recorded

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"infnet/harness/dataset/files"
)

// Bounds of an Inspect log in a zip archive: an archive that unpacks to more is no log of answers.
const (
	mostEntry   = 64 << 20 // bytes of one unpacked sample
	mostSamples = 10_000_000
)

// samples are those of an Inspect log: in JSON, or a zip archive (.eval) of samples/ID_epoch_N.json, one file a sample,
// and header.json or, in an unfinished log, _journal/start.json.
func (l *log) samples(ctx context.Context, use func(place string, r files.Row) error) error {
	f, err := files.OpenFile(files.Options{Path: l.Path, FS: l.FS})
	if err != nil {
		return err
	}
	defer f.Close()
	in, size, err := files.ReaderAt(f)
	if err != nil {
		return err
	}
	start := make([]byte, 2)
	if _, err := in.ReadAt(start, 0); err != nil || string(start) != "PK" {
		return l.objects(ctx, use)
	}
	archive, err := zip.NewReader(in, size)
	if err != nil {
		return fmt.Errorf("a zip archive that cannot be read, cut short or damaged: fetch it again (%w)", err)
	}
	archive.RegisterDecompressor(zstandard, func(r io.Reader) io.ReadCloser { // in bounded memory
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostEntry),
			zstd.WithDecoderMaxWindow(mostEntry))
		if err != nil {
			panic(err) // of an option
		}
		return z.IOReadCloser()
	})
	var samples []*zip.File
	for _, f := range archive.File {
		switch {
		case strings.HasSuffix(f.Name, "data.pkl"):
			return errPickle
		case f.Name == "header.json", f.Name == "start.json", f.Name == "_journal/start.json":
			raw, err := entry(f)
			if err == nil {
				err = eachElement(bytes.NewReader(raw), l.head, nil)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", f.Name, err)
			}
		case path.Dir(f.Name) == "samples" && strings.HasSuffix(f.Name, ".json"):
			samples = append(samples, f)
		}
	}
	if len(samples) == 0 || len(samples) > mostSamples {
		return fmt.Errorf("no Inspect log: its archive has %d files samples/….json", len(samples))
	}
	slices.SortStableFunc(samples, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range samples {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		raw, err := entry(f)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if err := object(f.Name, raw, use); err != nil {
			return err
		}
	}
	return nil
}

// zstandard is the method of a zip archive by which Inspect packs logs; the format's older one is deflate.
const zstandard = 93

// entry unpacks one file of an archive, up to a bound, whatever size the archive states.
func entry(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	raw, err := io.ReadAll(io.LimitReader(newFinite(r), mostEntry+1))
	if err == nil && len(raw) > mostEntry {
		err = fmt.Errorf("it unpacks to more than %d bytes: no sample is as long", mostEntry)
	}
	return raw, err
}

// finite reads JSON as Python writes it: NaN, Infinity and -Infinity, which JSON does not have, become the texts "NaN",
// "Infinity" and "-Infinity". Where nothing is read of them they do no harm; where a number is needed, the error can
// say what is there.
type finite struct {
	in              *bufio.Reader
	out             []byte // still to be given
	inside, escaped bool   // of a text
}

func newFinite(in io.Reader) *finite { return &finite{in: bufio.NewReaderSize(in, 1<<16)} }

func (f *finite) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if len(f.out) > 0 {
			k := copy(p[n:], f.out)
			f.out, n = f.out[k:], n+k
			continue
		}
		if n > 0 && f.in.Buffered() == 0 {
			break
		}
		c, err := f.in.ReadByte()
		if err != nil {
			return n, err
		}
		switch {
		case f.inside:
			f.inside, f.escaped = f.escaped || c != '"', !f.escaped && c == '\\'
		case c == '"':
			f.inside = true
		case c == 'N' || c == 'I' || c == '-':
			if word := f.literal(c); word != "" {
				f.out = []byte(`"` + word + `"`)
				continue
			}
		}
		p[n] = c
		n++
	}
	return n, nil
}

// literal takes a number that is none off the input, of which one byte is read; "" = there is none.
func (f *finite) literal(first byte) string {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if rest, _ := f.in.Peek(len(word) - 1); word[0] == first && string(rest) == word[1:] {
			f.in.Discard(len(rest)) // is there
			return word
		}
	}
	return ""
}
