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

// samples are those of an Inspect log, packed (.eval) or in JSON.
func (l *log) samples(ctx context.Context, use func(place string, r files.Row) error) error {
	f, err := open(l.Options)
	if err != nil {
		return err
	}
	start, err := bufio.NewReader(f).Peek(2)
	if f.Close(); err == nil && string(start) == "PK" {
		return l.packed(ctx, use)
	}
	return listed("samples", "sample")(l, ctx, use)
}

// packed are the samples of a log that is a zip archive: samples/ID_epoch_N.json, one file a sample, and header.json
// or, in an unfinished log, _journal/start.json.
func (l *log) packed(ctx context.Context, use func(place string, r files.Row) error) error {
	f, err := files.OpenFile(files.Options{Path: l.Path, FS: l.FS})
	if err != nil {
		return err
	}
	defer f.Close()
	in, size, err := files.ReaderAt(f)
	if err != nil {
		return err
	}
	archive, err := zip.NewReader(in, size)
	if err != nil {
		return fmt.Errorf("a zip archive that cannot be read, cut short or damaged: fetch it again (%w)", err)
	}
	archive.RegisterDecompressor(zstandard, unpack)
	var samples []*zip.File
	for _, f := range archive.File {
		switch {
		case strings.HasSuffix(f.Name, "data.pkl"):
			return errPickle
		case f.Name == "header.json", f.Name == "start.json", f.Name == "_journal/start.json":
			raw, err := entry(f)
			if err == nil {
				err = eachElement(bytes.NewReader(raw), nil, l.head, nil)
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

// unpack decompresses Zstandard in bounded memory.
func unpack(r io.Reader) io.ReadCloser {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostEntry),
		zstd.WithDecoderMaxWindow(mostEntry))
	if err != nil {
		return broken{err}
	}
	return z.IOReadCloser()
}

// broken is what cannot be decompressed.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }
func (broken) Close() error               { return nil }

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
