package spec

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"infnet/harness/regular"
)

// largest is the size of the largest spec file, in bytes.
const largest = 256 << 10

type filesystem struct {
	system fs.FS // nil = the machine
}

func (f filesystem) read(name string) ([]byte, error) {
	var r io.ReadCloser
	var err error
	if f.system != nil {
		r, err = f.system.Open(name)
	} else {
		r, err = regular.Open(name)
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, largest+1))
	if err == nil && len(data) > largest {
		err = fmt.Errorf("larger than %d bytes: this is no spec", largest)
	}
	return data, err
}

func (f filesystem) stat(name string) (fs.FileInfo, error) {
	if f.system != nil {
		return fs.Stat(f.system, name)
	}
	return os.Stat(name)
}

// resolve returns a path written in the file at from.
func (f filesystem) resolve(from, written string) (string, error) {
	switch {
	case f.system != nil:
		p := path.Join(path.Dir(from), written)
		if path.IsAbs(written) || !fs.ValidPath(p) {
			return "", fmt.Errorf("%q leaves the file system that the spec is embedded in", written)
		}
		return p, nil
	case filepath.IsAbs(written):
		return filepath.Clean(written), nil
	}
	return filepath.Join(filepath.Dir(from), filepath.FromSlash(written)), nil
}

// reason is an error without the path, which the message already names.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "no such file or folder"
	}
	return err.Error()
}
