package folder

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Content returns the content hash of weights that another program reads: a file, or a folder (".").
//
// A file's is its SHA-256, as sha256sum prints it. Of a GGUF file in parts, whose first part is
// named, all parts count. Of a folder in the hub's layout those files count that decide answers:
// weights, *.json, *.jinja, *.model, *.txt and *.py, and all files of the modules of
// sentence-transformers (1_Pooling). Of another folder every file counts. Names and lengths count
// wherever there are several files. Where the folder is, and when it was written, does not.
func Content(fsys fs.FS, name string) (string, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return fileContent(fsys, name)
	}
	dir, err := fs.Sub(fsys, name)
	if err != nil {
		return "", err
	}
	names, err := deciding(dir)
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "", errors.New("it has no file")
	}
	return digests(dir, names)
}

// split is the name of a GGUF file in parts: the name, the part, and how many there are.
var split = regexp.MustCompile(`^(.+-)\d{5}(-of-\d{5}\.gguf)$`)

func fileContent(fsys fs.FS, name string) (string, error) {
	dir, base := path.Split(name)
	parts := split.FindStringSubmatch(base)
	if parts == nil {
		f, err := fsys.Open(name)
		if err != nil {
			return "", err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
	}
	sub, err := fs.Sub(fsys, path.Clean(dir))
	if err != nil {
		return "", err
	}
	entries, err := fs.ReadDir(sub, ".")
	if err != nil {
		return "", err
	}
	var names []string
	for _, e := range entries {
		if p := split.FindStringSubmatch(e.Name()); p != nil && p[1] == parts[1] && p[2] == parts[2] {
			names = append(names, e.Name())
		}
	}
	return digests(sub, names)
}

// deciding lists the files of a folder that decide what a program computes with it.
func deciding(fsys fs.FS) ([]string, error) {
	var names, all []string
	weights, config := false, false
	err := fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := name != "." && strings.HasPrefix(e.Name(), ".")
		switch info, err := fs.Stat(fsys, name); { // what a link leads to
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		case e.IsDir() && hidden:
			return fs.SkipDir
		case !info.Mode().IsRegular() || hidden:
			return nil
		}
		all = append(all, name)
		dir := path.Dir(name)
		holds := slices.Contains([]string{".safetensors", ".bin", ".pt", ".pth", ".gguf"}, path.Ext(name))
		says := slices.Contains([]string{".json", ".jinja", ".model", ".txt", ".py"}, path.Ext(name))
		if dir == "." && (holds || says) || module.MatchString(dir) {
			names = append(names, name)
		}
		weights, config = weights || dir == "." && holds, config || name == Config
		return nil
	})
	if !weights || !config {
		return all, err
	}
	return names, err
}

// module is the folder of a module of sentence-transformers.
var module = regexp.MustCompile(`^\d+_[A-Za-z]+$`)
