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

// filesystem is where files are: the machine, or an fs.FS.
type filesystem interface {
	read(name string) ([]byte, error)
	stat(name string) (fs.FileInfo, error)
	// resolve returns a path written in the file at from.
	resolve(from, written string) (string, error)
	system() fs.FS // nil for the machine
}

type disk struct{}

func (disk) read(name string) ([]byte, error) {
	f, err := regular.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bounded(f)
}

func (disk) stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

func (disk) resolve(from, written string) (string, error) {
	if filepath.IsAbs(written) {
		return filepath.Clean(written), nil
	}
	return filepath.Join(filepath.Dir(from), filepath.FromSlash(written)), nil
}

func (disk) system() fs.FS { return nil }

type tree struct{ fs.FS }

func (t tree) read(name string) ([]byte, error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bounded(f)
}

func (t tree) stat(name string) (fs.FileInfo, error) { return fs.Stat(t.FS, name) }

func (t tree) resolve(from, written string) (string, error) {
	p := path.Join(path.Dir(from), written)
	if path.IsAbs(written) || !fs.ValidPath(p) {
		return "", fmt.Errorf("%q leaves the file system that the spec is embedded in", written)
	}
	return p, nil
}

func (t tree) system() fs.FS { return t.FS }

func bounded(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, largest+1))
	if err == nil && len(data) > largest {
		err = fmt.Errorf("larger than %d bytes: this is no spec", largest)
	}
	return data, err
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
