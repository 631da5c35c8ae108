// Package view shows runs in a browser, to this machine alone: the list of a folder's runs, the page of each, and
// the records behind its numbers, read from records.jsonl as they are wanted. It owns the server and what it
// answers. It refuses to write, to compute, and to serve a file by its name: what is served is made from the files
// that a run writes, opened inside the folder, whatever links say.
//
// Its opinion: texts of a study may be secret, and other people may use the same machine, so an address alone opens
// nothing: it holds a word that nobody can guess.
package view

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"infnet/harness/fault"
	"infnet/harness/pipeline/folder"
	"infnet/harness/result"
	"infnet/reports/page"
	"infnet/reports/page/drill"
)

// Site is a folder that is shown: one run, or a folder of runs.
type Site struct {
	dir    string
	root   *os.Root
	single string // the name of the only run, where the folder is one; "" = a folder of runs

	mu   sync.Mutex
	runs []*run // that are open, the latest used last
}

// mostOpen is the number of runs whose records are indexed at once.
const mostOpen = 3

// run is an open run.
type run struct {
	name    string
	stamp   string // of its files, as they were when it was opened
	ready   chan struct{}
	err     error
	records *os.File
	index   *drill.Index
	page    []byte
}

// Open opens a folder. It holds a run, or folders that hold runs.
func Open(dir string) (*Site, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fault.Usage.Wrap(err)
	}
	s := &Site{dir: dir, root: root}
	if _, err := regular(root, result.ResultsFile); err == nil {
		whole, err := filepath.Abs(dir)
		if err != nil {
			whole = dir
		}
		s.single = filepath.Base(whole)
		return s, nil
	}
	names, err := s.Names()
	if err == nil && len(names) == 0 {
		err = fault.Usage.Wrap(fmt.Errorf("%s is no run and holds none: name a folder with a %s, such as runs/quickstart, "+
			"or the folder that has such folders", dir, result.ResultsFile))
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return s, nil
}

// Close closes the files that are open.
func (s *Site) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runs {
		r.close()
	}
	s.runs = nil
	s.root.Close()
}

func (r *run) close() {
	<-r.ready
	if r.records != nil {
		r.records.Close()
	}
}

// Names returns the names of the runs that are there now, in order. A folder that is a link is none of them.
func (s *Site) Names() ([]string, error) {
	if s.single != "" {
		return []string{s.single}, nil
	}
	entries, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if _, err := regular(s.root, e.Name()+"/"+result.ResultsFile); err == nil {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// regular looks at a file inside a folder; what leads out of it, and what is no regular file, is an error.
func regular(root *os.Root, name string) (fs.FileInfo, error) {
	info, err := root.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", name)
	}
	return info, err
}

// errNoRun is asked for by a name that no run has.
var errNoRun = errors.New("no such run")

// find returns an open run; it is opened where it is not, and again where its files have changed since.
func (s *Site) find(ctx context.Context, name string) (*run, error) {
	names, err := s.Names()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, name) {
		return nil, errNoRun
	}
	stamp, err := s.stamp(name)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	at := slices.IndexFunc(s.runs, func(r *run) bool { return r.name == name && r.stamp == stamp })
	var r *run
	if at >= 0 {
		r = s.runs[at]
		s.runs = append(slices.Delete(s.runs, at, at+1), r)
	} else {
		r = &run{name: name, stamp: stamp, ready: make(chan struct{})}
		s.forget(name)
		s.runs = append(s.runs, r)
		go func() { // it goes on where who asked has left: the next one will ask
			defer close(r.ready)
			r.err = s.load(context.WithoutCancel(ctx), r)
		}()
	}
	s.mu.Unlock()
	select {
	case <-r.ready:
		return r, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// forget lets go of what was known of a run, and of the runs that were not used for longest. Their files stay open
// until nobody reads them: the last reference closes them.
func (s *Site) forget(name string) {
	s.runs = slices.DeleteFunc(s.runs, func(r *run) bool { return r.name == name })
	if len(s.runs) >= mostOpen {
		s.runs = slices.Delete(s.runs, 0, len(s.runs)-mostOpen+1)
	}
}

// path is where a file of a run is, inside the folder.
func (s *Site) path(name, file string) string {
	if s.single != "" {
		return file
	}
	return name + "/" + file
}

// stamp says which files a run consists of now.
func (s *Site) stamp(name string) (string, error) {
	stamp := ""
	for _, file := range []string{result.ResultsFile, result.RecordsFile} {
		info, err := regular(s.root, s.path(name, file))
		if err != nil {
			return "", fmt.Errorf("run %s cannot be shown: %w", name, err)
		}
		stamp += fmt.Sprint(info.ModTime().UnixNano(), info.Size(), " ")
	}
	return stamp, nil
}

// load reads a run and makes its page.
func (s *Site) load(ctx context.Context, r *run) error {
	results, err := s.results(r.name)
	if err != nil {
		return err
	}
	if r.records, err = s.root.Open(s.path(r.name, result.RecordsFile)); err != nil {
		return err
	}
	if r.index, err = drill.NewIndex(ctx, results, r.records); err != nil {
		return err
	}
	var how folder.Recipe
	if _, err := regular(s.root, s.path(r.name, folder.RunFile)); err == nil {
		how, _ = folder.ReadRecipe(filepath.Join(s.dir, s.path(r.name, ""))) // without one the page names no command
	}
	var out bytes.Buffer
	err = page.Build(&out, page.Input{Results: results, Records: r.index.All(), Command: how.Command(),
		Stream: "records", Index: r.index})
	r.page = out.Bytes()
	return err
}

// results reads the results of a run.
func (s *Site) results(name string) (*result.Results, error) {
	path := s.path(name, result.ResultsFile)
	file, err := s.root.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	return result.Decode(text, path)
}
