package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"infnet/harness/analyze"
	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
	"infnet/harness/dataset/hub"
	"infnet/harness/spec"
)

// reach is how far a command goes for datasets and models on the hub.
type reach int

const (
	download reach = iota // whatever the cache does not hold
	offline               // only what the cache holds, because --offline says so; an error for the rest
	stored                // likewise, because the command asks nobody
	looked                // only what the cache holds; the rest is away
	byName                // not even that: the references alone
)

// why says in errors what keeps a command from the hub.
func (r reach) why() string {
	if r == offline {
		return "--offline is set: run once without it"
	}
	return "only infnet run and infnet collect download: run one of them first"
}

// away is what a command did without.
type away struct {
	what string // "dataset sst-2", "model small"
	ref  string
}

// hub makes a client that reports on the screen. The token stays inside it.
func (st *study) hub(show *arrival) (*hub.Client, error) {
	o, err := hub.FromEnvironment(os.Getenv)
	if err != nil {
		return nil, err
	}
	if st.reach != download {
		o.Offline, o.Why = true, st.reach.why()
	}
	o.Progress = show.progress
	return hub.New(o)
}

// fetch brings what a reference stands for to the disk, with the client's
// method that knows how; false where it is away and the command does without.
func (st *study) fetch(ctx context.Context, what, ref string, get func(*hub.Client) (*hub.Download, error)) (*hub.Download, bool, error) {
	if st.reach == byName {
		st.away = append(st.away, away{what, ref})
		return nil, false, nil
	}
	show := &arrival{ctx: ctx, screen: st.screen}
	client, err := st.hub(show)
	if err != nil {
		return nil, false, err
	}
	d, err := get(client)
	show.finish()
	if st.reach == looked && errors.As(err, new(*hub.OfflineError)) {
		st.away = append(st.away, away{what, ref})
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if n := d.Unchecked(); n > 0 {
		st.ask(fmt.Sprintf("%d of %d files in %s are no links to blobs of the hub's cache: their digests are not known, and nothing says that they are what the hub has. Delete the folder, and infnet collect fetches them again.",
			n, len(d.Files), d.Dir))
	}
	st.screen.log.Info("on the hub", "what", what, "pinned", d.Ref.String())
	return d, true, nil
}

// fetchModel brings a model's folder; false where it is away.
func (st *study) fetchModel(ctx context.Context, m *spec.Model) (*hub.Download, bool, error) {
	ref, err := hub.ParseModel(m.Hub)
	if err != nil {
		return nil, false, err
	}
	return st.fetch(ctx, "model "+m.Name, m.Hub, func(c *hub.Client) (*hub.Download, error) { return c.Model(ctx, ref) })
}

// fetchRows reads a dataset of the hub; nil where it is away. Its identity in
// the store is that of the reference with its commit, however many of its rows
// a study uses.
func (st *study) fetchRows(ctx context.Context, d *spec.Dataset) (*dataset.Set, string, error) {
	ref, err := hub.ParseDataset(d.Source.Name)
	if err != nil {
		return nil, "", err
	}
	got, ok, err := st.fetch(ctx, "dataset "+d.Name, d.Source.Name, func(c *hub.Client) (*hub.Download, error) {
		return c.Dataset(ctx, ref, enough(d))
	})
	if !ok || err != nil {
		return nil, "", err
	}
	origin := analyze.Origin{Revision: got.Commit}
	if got.Partial {
		origin.Partial = true
		st.screen.log.Warn("the hub exports only the beginning of the split", "dataset", d.Name, "source", d.Source.Text)
	}
	st.origins[d.Name] = origin
	o := loadOptions(st.spec, d)
	paths := got.Paths()
	o.FS, o.Path, o.Shards, o.Format = nil, paths[0], paths[1:], files.Parquet
	set, err := files.Load(ctx, o)
	sum := sha256.Sum256([]byte(got.Ref.String()))
	return set, hex.EncodeToString(sum[:]), err
}

// enough tells when the first files of a dataset hold all the rows that a
// study uses. It is nil where it takes all files: a sample is drawn from all
// rows, and how many rows will be skipped is not known before they are read.
func enough(d *spec.Dataset) func([]hub.File) (bool, error) {
	if d.Split.Order != spec.InFile || d.Split.Limit == 0 || d.OnBadRow == dataset.SkipBadRow || d.Dedupe {
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

// arrival shows files coming from the hub: a bar for each, or a line.
type arrival struct {
	ctx    context.Context
	screen *screen
	name   string
	meter  *meter
}

func (d *arrival) progress(p hub.Progress) {
	if d.name != p.Name {
		d.finish()
		d.name = p.Name
		d.meter = d.screen.startBytes(fmt.Sprintf("%s (%d of %d)", p.Name, p.At, p.Of), p.Size, p.Done)
	}
	d.meter.set(p.Done)
}

// finish ends the bar of the last file; one that did not come whole stays as
// far as it came.
func (d *arrival) finish() {
	if d.meter != nil {
		d.meter.finish(d.ctx)
	}
	d.meter = nil
}
