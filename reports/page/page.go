// Package page writes report.html: one self-contained page that shows what a
// study found. It owns which parts the page has and in which order, its script
// and its style, and the data that they look up. It refuses to compute what
// results hold already, to read a clock, and to open anything outside the page:
// its policy forbids every connection. Its opinion: a page is looked at for ten
// seconds first, so the answer comes before the evidence, and every number on
// it leads to the records behind it.
package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"iter"

	"infnet/harness/result"
	"infnet/reports/page/drill"
)

// Input is what a page is made of: the files of one run.
type Input struct {
	Results *result.Results
	Records iter.Seq2[result.Record, error] // of all cascades; read once
	Command string                          // makes the run again; "" = not known
	Texts   int64                           // bytes that the compressed texts may have; 0 = they are left out
}

// Build writes the page of a run. Equal input gives equal bytes.
func Build(w io.Writer, in Input) error {
	doc, err := assemble(in)
	if err != nil {
		return fmt.Errorf("report page of study %q: %w", in.Results.Name, err)
	}
	var out bytes.Buffer
	if err := layout.Execute(&out, doc); err != nil {
		return fmt.Errorf("report page of study %q: %w", in.Results.Name, err)
	}
	_, err = w.Write(out.Bytes())
	return err
}

type document struct {
	Study   string
	Program string
	Policy  string // Content-Security-Policy
	Style   template.CSS
	Scripts []template.JS
	Blocks  []shownBlock
	Command string
	view
}

type shownBlock struct {
	ID   string
	Text template.JS
}

func assemble(in Input) (*document, error) {
	p := newPairs(in.Results)
	var more []drill.Block
	if in.Records != nil {
		var err error
		if more, err = drill.Collect(in.Results, p.watch(in.Records), in.Texts); err != nil {
			return nil, err
		}
	}
	v, data, err := makeView(in, p)
	if err != nil {
		return nil, err
	}
	first, err := json.Marshal(data)
	if err != nil {
		return nil, fmt.Errorf("encode the data: %w", err)
	}
	doc := &document{Study: in.Results.Name, Program: in.Results.Spec.Program, Command: in.Command, view: *v,
		Style: template.CSS(styles), Policy: policyOf(styles, scripts)}
	for _, s := range scripts {
		doc.Scripts = append(doc.Scripts, template.JS(s))
	}
	for _, b := range append([]drill.Block{{ID: "data", Text: string(first)}}, more...) {
		doc.Blocks = append(doc.Blocks, shownBlock{b.ID, template.JS(inert.Replace(b.Text))})
	}
	return doc, nil
}
