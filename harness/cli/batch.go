package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/batch"
	"infnet/harness/fault"
	"infnet/harness/pipeline"
	"infnet/harness/pipeline/folder"
)

// batchCommand asks models through a provider's batch interface.
type batchCommand struct {
	Write batchWriteCommand `cmd:"" help:"Write the requests that have no answer as batch files; send nothing."`
	Read  batchReadCommand  `cmd:"" help:"Put the answers of a batch's output into the store."`
}

// batchWriteCommand writes the requests of a study.
type batchWriteCommand struct {
	Spec  string   `arg:"" help:"The study's TOML file, or \"quickstart\" for the built-in one."`
	Out   string   `help:"Folder of the files. Default: runs/STUDY/batch." placeholder:"DIR"`
	Limit rowLimit `help:"Use at most N rows of each dataset (over the spec's limit)." placeholder:"N"`
	Store string   `help:"Folder of the answers, shared by all studies." default:"runs/answers" placeholder:"DIR"`
	overrideFlags
	screenFlags
}

func (c *batchWriteCommand) Run(ctx context.Context, s *streams) error {
	f := &studyFlags{Spec: c.Spec, askedFlags: askedFlags{Limit: c.Limit, Store: c.Store, overrideFlags: c.overrideFlags,
		screenFlags: c.screenFlags}}
	loaded, err := f.load()
	if err != nil {
		return err
	}
	if c.Out == "" {
		c.Out = filepath.Join(runFolder(loaded), folder.Batch)
	}
	st, err := f.openLoaded(ctx, s, loaded, pipeline.Hub{Access: pipeline.Download})
	if err != nil {
		return err
	}
	how, err := c.how()
	if err != nil {
		return err
	}
	w, err := st.WriteBatch(ctx, c.Out, how)
	st.screen.wait()
	if err != nil {
		return err
	}
	return c.show(s.out, w)
}

// how says how the study is opened again, from any folder.
func (c *batchWriteCommand) how() (h batch.How, err error) {
	abs := func(path string) string {
		out, aerr := filepath.Abs(path)
		err = errors.Join(err, aerr)
		return filepath.ToSlash(out)
	}
	h = batch.How{Spec: c.Spec, Store: abs(c.Store), Limit: int(c.Limit), ModelOverride: c.ModelOverride}
	if _, serr := os.Stat(c.Spec); serr == nil {
		h.Spec = abs(c.Spec)
	}
	for _, use := range c.Use {
		h.Use = append(h.Use, abs(use))
	}
	return h, err
}

// show says what was written, and what is to be done with it.
func (c *batchWriteCommand) show(w io.Writer, b *batch.Written) error {
	if len(b.Models) > 0 {
		lines := [][]string{{"MODEL", "FILE", "REQUESTS", "BYTES"}}
		for _, a := range b.Models {
			for _, p := range a.Files {
				lines = append(lines, []string{a.Model, p.Name, strconv.Itoa(p.Requests), strconv.FormatInt(p.Bytes, 10)})
			}
		}
		printColumns(w, lines)
		fmt.Fprintln(w)
	}
	for _, m := range b.Models {
		if m.LabelMode != "" {
			prose(w, "%s: classifications are asked by %s, which is part of their answers' keys.\n", clean(m.Model),
				m.LabelMode)
		}
		if m.Failed > 0 {
			prose(w, "%s: %d of the requests failed before and are written again.\n", clean(m.Model), m.Failed)
		}
	}
	for _, m := range b.Skipped {
		prose(w, "%s is not in the batch, as %s: infnet collect --only %[1]s asks it.\n", clean(m.Name), m.Why)
	}
	if b.Unaskable > 0 {
		prose(w, "%s left out, as no call can ask such a request: %s\n", are(b.Unaskable, "request"), clean(b.Unasked))
	}
	if len(b.Models) == 0 {
		fmt.Fprintln(w, "Nothing to ask: no file was written.")
		return nil
	}
	if b.Replaced {
		prose(w, "An earlier batch in this folder is replaced. If it was sent and not read yet, these requests are "+
			"asked twice.")
	}
	prose(w, "The files and their manifest are in %s; nothing was sent. Send them to the endpoint %s of a provider, or "+
		"to vllm run-batch.\nThen: infnet batch read --batch %[1]s FILE…\n", c.Out, b.Models[0].URL)
	return nil
}

// batchReadCommand reads what came back.
type batchReadCommand struct {
	Files []string `arg:"" name:"file" help:"Output and error files of the batch."`
	Batch []string `help:"Folder that infnet batch write made, or the manifest in it. Default: the folder of each file." placeholder:"DIR" sep:"none"`
	Study string   `help:"The study's TOML file, where it is not where the manifest says." placeholder:"SPEC"`
	Store string   `help:"Folder of the answers. Default: the manifest's." placeholder:"DIR"`
	screenFlags
}

func (c *batchReadCommand) Run(ctx context.Context, s *streams) error {
	out, err := batch.Read(ctx, c.Files)
	if err != nil {
		return fault.Data.Wrap(err)
	}
	defer out.Close()
	manifests, err := c.manifests()
	if err != nil {
		return err
	}
	f, err := c.study(manifests)
	if err != nil {
		return err
	}
	st, err := f.open(ctx, s, pipeline.Hub{Access: pipeline.Optional, Why: asksNobody})
	if err != nil {
		return err
	}
	rep, err := st.ReadBatch(ctx, out, manifests)
	st.screen.wait()
	for _, j := range rep.Jobs {
		fmt.Fprintf(s.out, "%s on %s: %d answers new, %d there already, %d failed\n", clean(j.Model), clean(j.Dataset),
			j.Asked, j.OnDisk+j.Shared, j.Failed)
	}
	if err != nil {
		return err
	}
	failures(s.out, rep.Report)
	if out.Repeated > 0 {
		fmt.Fprintf(s.out, "%s about a request that an earlier line is about: the first answer counts.\n",
			are(out.Repeated, "line"))
	}
	if out.Expired > 0 {
		fmt.Fprintf(s.out, "The provider never asked %s.\n", counted(out.Expired, "request"))
	}
	left, err := st.Plan(ctx, pipeline.PlanOptions{RetryFailed: true, Quick: true})
	if err != nil {
		return err
	}
	showPlan(s.out, left)
	return unused(st.Spec.Name, out, rep)
}

// manifests reads those that belong to the files.
func (c *batchReadCommand) manifests() (list []*batch.Manifest, err error) {
	places := c.Batch
	for _, file := range c.Files {
		if dir := filepath.Dir(file); len(c.Batch) == 0 && !slices.Contains(places, dir) {
			places = append(places, dir)
		}
	}
	for _, at := range places {
		m, err := batch.ReadManifest(at)
		switch {
		case err == nil:
			list = append(list, m)
		case !batch.Absent(err):
			return nil, fault.Data.Wrap(err)
		case len(c.Batch) > 0:
			return nil, fault.Usage.Wrap(fmt.Errorf("--batch %s: there is no %s, which infnet batch write makes: name the "+
				"folder of the files that were sent", at, batch.ManifestName))
		}
	}
	for _, m := range list {
		if m.Study != list[0].Study || m.How.Spec != list[0].How.Spec {
			return nil, fault.Usage.Wrap(fmt.Errorf("the files are of two studies, %s (%s) and %s (%s): read them one "+
				"after the "+
				"other", list[0].Study, list[0].How.Spec, m.Study, m.How.Spec))
		}
	}
	return list, nil
}

// study says how the study of the files is opened.
func (c *batchReadCommand) study(manifests []*batch.Manifest) (*studyFlags, error) {
	f := &studyFlags{Spec: c.Study, askedFlags: askedFlags{Store: c.Store, screenFlags: c.screenFlags}}
	if len(manifests) > 0 {
		h := manifests[0].How
		if f.Spec == "" {
			f.Spec = filepath.FromSlash(h.Spec)
			if _, err := os.Stat(f.Spec); err != nil && f.Spec != quickstart {
				return nil, fault.Usage.Wrap(fmt.Errorf("the batch is of the study %s, whose file %s is not there (%w): name "+
					"it with --study", manifests[0].Study, f.Spec, err))
			}
		}
		if f.Store == "" {
			f.Store = filepath.FromSlash(h.Store)
		}
		f.Limit, f.Use, f.ModelOverride = rowLimit(h.Limit), h.Use, h.ModelOverride
	}
	if f.Spec == "" {
		return nil, fault.Usage.Wrap(fmt.Errorf("there is no %s in the folder of %s, so nothing says which study "+
			"asked: name "+
			"the folder that infnet batch write made with --batch", batch.ManifestName, c.Files[0]))
	}
	if f.Store == "" {
		f.Store = "runs/answers"
	}
	loaded, err := f.load()
	if err != nil {
		return nil, err
	}
	for _, m := range manifests {
		if m.Study != loaded.Name {
			return nil, fault.Usage.Wrap(fmt.Errorf("the batch is of the study %s, and %s is the study %s: name the one "+
				"that asked with --study, or its folder with --batch", m.Study, f.Spec, loaded.Name))
		}
	}
	return f, nil
}

// are is "1 line is" or "2 lines are".
func are(n int, what string) string {
	if n == 1 {
		return counted(n, what) + " is"
	}
	return counted(n, what) + " are"
}

// unused is the error of an output of which not every line could be used.
func unused(study string, out *batch.Output, rep batch.Came) error {
	var parts []string
	if out.Broken > 0 {
		var lines []string
		for _, p := range out.Problems {
			lines = append(lines, clean(p))
		}
		if more := out.Broken - len(out.Problems); more > 0 {
			lines = append(lines, fmt.Sprintf("and %d more", more))
		}
		parts = append(parts, fmt.Sprintf("%s cannot be read: %s; download the file again",
			counted(out.Broken, "line"), strings.Join(lines, "; ")))
	}
	if rep.Foreign > 0 {
		parts = append(parts, fmt.Sprintf("%s not of the study %s, such as %q: the output is of another batch too, or the "+
			"study was changed since this one was written", are(rep.Foreign, "request"), study, rep.First))
	}
	if len(parts) == 0 {
		return nil
	}
	return fault.Data.Wrap(fmt.Errorf("every answer to the study is in the store; the rest of the output is not: %s",
		strings.Join(parts, "; ")))
}
