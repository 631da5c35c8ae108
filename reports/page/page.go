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
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"iter"
	"strings"

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

//go:embed assets
var assets embed.FS

var layout = template.Must(template.ParseFS(assets, "assets/*.html")).Lookup("page.html")

// styles is one text, scripts are one element each, in the order in which they need each other.
var (
	styles = asset("theme.css") + asset("layout.css") + asset("parts.css") + asset("records.css") + asset("print.css")

	scripts = []string{asset("base.js"), asset("theme.js"), asset("tables.js"), asset("lookup.js"),
		asset("explore.js"), asset("recordsdata.js"), asset("recordstexts.js"), asset("recordslist.js"),
		asset("recordsdetail.js"), asset("records.js")}
)

func asset(name string) string {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic("page: " + err.Error()) // the program holds it
	}
	return string(text)
}

// policyOf is the Content-Security-Policy of the page: it runs these scripts, shows these styles and the pictures that
// it holds, and connects to nothing. Text never becomes markup or script.
func policyOf(style string, scripts []string) string {
	runs := "script-src"
	for _, s := range scripts {
		runs += " " + digest(s)
	}
	return strings.Join([]string{"default-src 'none'", "base-uri 'none'", "form-action 'none'", "img-src data:", runs,
		"style-src " + digest(style), "require-trusted-types-for 'script'", "trusted-types 'none'"}, "; ")
}

// digest names a text in a Content-Security-Policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// inert writes JSON so that nothing in it ends the element that holds it, or begins a comment or an entity.
var inert = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "\u2028", `\u2028`, "\u2029", `\u2029`)
