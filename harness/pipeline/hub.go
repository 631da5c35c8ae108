package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"

	"infnet/harness/dataset/files"
	"infnet/harness/dataset/hub"
	"infnet/harness/spec"
)

// Hub says how a study gets datasets and models from the hub.
type Hub struct {
	Access HubAccess
	Why    string // why nothing is downloaded, and what to do about it, for errors of CacheOnly
}

// HubAccess says what may be read from the hub and its cache.
type HubAccess int

const (
	Download  HubAccess = iota // download what the cache lacks
	CacheOnly                  // use only the cache; what it lacks is an error
	Optional                   // use only the cache; what it lacks is in Study.Missing
	NamesOnly                  // use not even the cache; everything is in Study.Missing
)

// Missing is something on the hub that a study was opened without.
type Missing struct {
	What string // "dataset sst-2", "model small"
	Ref  string
}

// fetcher downloads from the hub.
type fetcher struct {
	hub     Hub
	events  Events
	ask     func(question string, about ...any)
	missing []Missing // what was not downloaded
}

// model downloads the folder of a model; nil if it is missing and allowed to be.
func (f *fetcher) model(ctx context.Context, m *Model) (*hub.Download, error) {
	ref, err := hub.ParseModel(m.Hub)
	if err != nil {
		return nil, err
	}
	return f.fetch(ctx, Missing{"model " + m.Name, m.Hub},
		func(c *hub.Client) (*hub.Download, error) { return c.Download(ctx, ref, nil) })
}

// rows downloads the files of a dataset; nil if they are missing and allowed to be.
func (f *fetcher) rows(ctx context.Context, d *Dataset) (*hub.Download, error) {
	ref, err := hub.ParseDataset(d.Source.Name)
	if err != nil {
		return nil, err
	}
	return f.fetch(ctx, Missing{"dataset " + d.Name, d.Source.Name}, func(c *hub.Client) (*hub.Download, error) {
		return c.Download(ctx, ref, d.enough())
	})
}

// fetch downloads a reference with the given method of the client; nil if it is missing and allowed
// to be.
func (f *fetcher) fetch(ctx context.Context, what Missing,
	get func(*hub.Client) (*hub.Download, error)) (*hub.Download, error) {
	if f.hub.Access == NamesOnly {
		f.missing = append(f.missing, what)
		return nil, nil
	}
	o, err := hub.FromEnvironment(os.Getenv)
	if err != nil {
		return nil, err
	}
	show := &downloads{ctx: ctx, events: f.events}
	o.Progress = show.progress
	if f.hub.Access != Download {
		o.Offline, o.Why = true, f.hub.Why
	}
	client, err := hub.New(o)
	if err != nil {
		return nil, err
	}
	d, err := get(client)
	show.finish()
	if f.hub.Access == Optional && errors.As(err, new(*hub.OfflineError)) {
		f.missing = append(f.missing, what)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f.events.Info("on the hub", "what", what.What, "pinned", d.Ref.String())
	return d, nil
}

// enough returns a function that reports whether the first files of a dataset hold all rows that a
// study uses. It is nil if all files are needed: a sample is drawn from all rows, and the number of
// skipped rows is unknown before they are read.
func (d *Dataset) enough() func([]hub.File) (bool, error) {
	if d.Split.Order != spec.InFile || d.Split.Limit == 0 {
		return nil
	}
	rows, counted := 0, 0
	return func(have []hub.File) (bool, error) {
		for ; counted < len(have); counted++ {
			n, err := files.ParquetRows(have[counted].Path)
			if err != nil {
				return false, err
			}
			rows += n
		}
		return rows >= d.Split.Limit, nil
	}
}

// downloads shows the progress of downloads.
type downloads struct {
	ctx    context.Context
	events Events
	name   string
	meter  Meter
}

func (d *downloads) progress(p hub.Progress) {
	if d.name != p.Name {
		d.finish()
		d.name = p.Name
		d.meter = d.events.Begin(Task{Name: fmt.Sprintf("%s (%d of %d)", p.Name, p.At, p.Of), Total: p.Size, Done: p.Done,
			Download: true})
	}
	d.meter.Set(p.Done)
}

// finish ends the meter of the last file; an incomplete file's meter stays where it is.
func (d *downloads) finish() {
	if d.meter != nil {
		d.meter.Finish(d.ctx)
	}
	d.meter = nil
}
