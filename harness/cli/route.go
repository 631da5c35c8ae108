package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"infnet/harness/confidence"
	"infnet/harness/dataset/files"
	"infnet/harness/fault"
	"infnet/harness/policy/deploy"
	"infnet/harness/regular"
	"infnet/harness/seed"
)

// routeCommand applies fitted thresholds to answers.
type routeCommand struct {
	File        string `arg:"" name:"thresholds" help:"A thresholds file: of infnet fit -o, or of a run's policies folder."`
	Answers     string `arg:"" optional:"" help:"Answers, one a row: .jsonl, .csv, .tsv (all also .gz) or .parquet. Default: standard input, JSON objects or cells under a header."`
	ID          string `help:"Field of the query's id. Default: id, query_id or record_id, where there is one." placeholder:"F"`
	Confidence  string `help:"Field of the student's confidence in [0,1], read as the thresholds file says. Default: as in infnet fit: confidence, beta or score." placeholder:"F"`
	Class       string `help:"Field of the class the student chose, for a threshold per class. Default: as in infnet fit: class, label or prediction." placeholder:"F"`
	Calibrated  bool   `help:"The confidences are calibrated already: do not apply the file's calibration."`
	Uncertified bool   `help:"Apply thresholds whose guarantee was asked for and could not be given."`
	Seed        uint64 `help:"Seed of the coins of a mixture: a query's coin depends on it and the id alone." default:"42"`
}

// longestAnswer bounds a line of answers, in bytes.
const longestAnswer = 10 << 20

func (c *routeCommand) Run(ctx context.Context, s *streams) error {
	text, err := regular.ReadFile(c.File)
	if err != nil {
		return fault.Data.Wrap(fmt.Errorf("cannot read the thresholds: %w", err))
	}
	d, err := deploy.Decode(text)
	if err != nil {
		return fault.Data.Wrap(fmt.Errorf("%s: %w", c.File, err))
	}
	if g := d.Guarantee; g != nil && !g.Certified && !c.Uncertified {
		return fault.Data.Wrap(fmt.Errorf("%s: these thresholds are not certified: a guarantee (%s) was asked for, and no candidate passed on the %d records that tested; "+
			"fit with more records, a larger margin or another target, or apply them all the same with --uncertified", c.File, g.Method, g.Tested))
	}
	r := &router{command: c, policy: d, warn: s.err, unknown: map[string]bool{}}
	if err := r.calibration(); err != nil {
		return fault.Usage.Wrap(fmt.Errorf("%s: %w", c.File, err))
	}
	out := bufio.NewWriter(s.out)
	r.encoder = json.NewEncoder(inJSON{out})
	r.encoder.SetEscapeHTML(false)
	if c.Answers != "" {
		err = r.file(ctx, c.Answers)
	} else {
		err = r.route(ctx, bufio.NewReader(flushing{s.in, out}))
	}
	return errors.Join(err, out.Flush())
}

// flushing writes what is decided before it waits for more answers.
type flushing struct {
	in  io.Reader
	out *bufio.Writer
}

func (f flushing) Read(p []byte) (int, error) {
	if err := f.out.Flush(); err != nil {
		return 0, err
	}
	return f.in.Read(p)
}

// router decides line by line.
type router struct {
	command    *routeCommand
	policy     deploy.File
	calibrator confidence.Calibrator
	classes    map[string]int // class → index, where calibration goes by class
	warn       io.Writer
	unknown    map[string]bool // classes that were reported
	encoder    *json.Encoder

	// The fields in use, told by the first row; "" = no such field.
	blank                 int // empty lines before the first answer
	told                  bool
	id, confidence, class string
}

// tell finds the fields that no flag names, by the names that infnet fit knows.
func (r *router) tell(row files.Row) {
	r.told = true
	c := r.command
	r.confidence = cmp.Or(columnOf(c.Confidence, confidenceNames, row, c.ID, c.Class), confidenceNames[0])
	r.id = columnOf(c.ID, idNames, row, r.confidence, c.Class)
	r.class = cmp.Or(columnOf(c.Class, classNames, row, r.confidence, r.id), classNames[0])
}

// decision is one line of the output.
type decision struct {
	ID        json.RawMessage `json:"id,omitempty"`
	Decision  string          `json:"decision"`            // accept or defer
	Threshold any             `json:"threshold,omitempty"` // a number or "inf"; none for an unknown class
}

// calibration takes over the file's calibration, or says why it cannot.
func (r *router) calibration() error {
	d := r.policy.Calibration
	r.calibrator = confidence.Calibrator{Method: confidence.NoCalibration}
	if r.command.Calibrated || d.Method == string(confidence.NoCalibration) {
		return nil
	}
	if err := r.calibrator.Method.UnmarshalText([]byte(d.Method)); err != nil {
		return fmt.Errorf("calibration: %w", err)
	}
	r.calibrator.Parameters, r.calibrator.Curves = d.Parameters, d.Curves
	switch r.calibrator.Method {
	case confidence.Temperature:
		return errors.New("calibration by temperature needs the probabilities of all labels: calibrate the confidences and say --calibrated")
	case confidence.Isotonic:
		if len(d.Curves) != 1 {
			return fmt.Errorf("calibration isotonic with %d curves, want one", len(d.Curves))
		}
	case confidence.IsotonicPerClass:
		if len(d.Curves) != len(r.policy.Thresholds) || !r.policy.Classed() {
			return errors.New("calibration per class without the classes' names, which only a threshold per class has: calibrate the confidences and say --calibrated")
		}
		r.classes = map[string]int{}
		for k, t := range r.policy.Thresholds {
			r.classes[t.Class] = k
		}
	}
	return nil
}

// file routes the answers of a file.
func (r *router) file(ctx context.Context, path string) error {
	o := files.Options{Path: path}
	if sep := files.Separator(path); sep != 0 {
		o.Separator = sep
	}
	err := files.Each(ctx, o, func(row files.Row) error {
		if err := r.answer(row); err != nil {
			return fmt.Errorf("%s, row %d: %w", path, row.Number, err)
		}
		return nil
	})
	return readable(err)
}

// route reads answers as they come, JSON objects or cells under a header, and
// writes decisions. An error names the line; what came before it is written.
func (r *router) route(ctx context.Context, in *bufio.Reader) error {
	head, err := in.Peek(1)
	for ; err == nil && bytes.ContainsAny(head, " \t\r\n"); head, err = in.Peek(1) {
		if _, err := in.Discard(1); err != nil {
			return err
		}
		if head[0] == '\n' {
			r.blank++
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	if head[0] == '{' {
		return r.lines(ctx, in)
	}
	var header firstLine
	if err := files.EachCell(ctx, "standard input", io.TeeReader(in, &header), r.answer); err != nil || r.told {
		return readable(err)
	}
	for _, name := range append([]string{r.command.Confidence}, confidenceNames...) {
		if name != "" && strings.Contains(strings.ToLower(header.String()), strings.ToLower(name)) {
			return nil // a table without rows
		}
	}
	return fault.Data.Wrap(fmt.Errorf("line %d: %q is neither a JSON object nor the header of a table with a confidence: write one object a line, or a table with a column %s",
		r.blank+1, clean(header.String()), confidenceNames[0]))
}

// firstLine keeps what is written to it up to the first line break.
type firstLine struct {
	strings.Builder
	whole bool
}

func (l *firstLine) Write(p []byte) (int, error) {
	if line, _, found := bytes.Cut(p, []byte{'\n'}); !l.whole && l.Len() < longestAnswer {
		l.Builder.Write(line)
		l.whole = found
	}
	return len(p), nil
}

// readable gives an error of reading its exit code.
func readable(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fault.Data.Wrap(err)
}

// lines routes JSON objects, one a line.
func (r *router) lines(ctx context.Context, in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), longestAnswer)
	n := r.blank
	for lines.Scan() {
		if n++; n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		row, err := parseAnswer(line)
		if err == nil {
			err = r.answer(row)
		}
		if err != nil {
			return fault.Data.Wrap(fmt.Errorf("line %d: %w", n, err))
		}
	}
	if err := lines.Err(); err != nil {
		return fault.Data.Wrap(fmt.Errorf("line %d: %w", n+1, err))
	}
	return nil
}

// answer decides one query and writes the decision.
func (r *router) answer(row files.Row) error {
	if !r.told {
		r.tell(row)
	}
	raw, err := rawID(row, r.id)
	if err != nil {
		return err
	}
	d, err := r.decide(row, raw)
	if err != nil {
		return err
	}
	if err := r.encoder.Encode(d); err != nil {
		return fmt.Errorf("write the decisions: %w", err)
	}
	return nil
}

// decide decides one query.
func (r *router) decide(row files.Row, raw json.RawMessage) (decision, error) {
	text, err := field(row, r.confidence, "--confidence")
	if err != nil {
		return decision{}, err
	}
	beta, err := unitNumber(text)
	if err != nil {
		return decision{}, err
	}
	class := ""
	if r.policy.Classed() || r.classes != nil {
		if class, err = field(row, r.class, "--class"); err != nil {
			return decision{}, err
		}
	}
	coin := 0.0
	if r.policy.Mixture != nil {
		id, err := field(row, cmp.Or(r.id, idNames[0]), "--id")
		if err != nil {
			return decision{}, fmt.Errorf("%w (the coin of a mixture depends on the id)", err)
		}
		coin = seed.Uniform(r.command.Seed, "mixture", id)
	}
	theta, known := r.policy.Threshold(class, coin)
	k, indexed := r.classes[class]
	if !known || r.classes != nil && !indexed {
		if !r.unknown[class] {
			r.unknown[class] = true
			fmt.Fprintf(r.warn, "infnet: the class %q has no threshold: its queries are deferred\n", clean(class))
		}
		return decision{ID: raw, Decision: "defer"}, nil
	}
	d := decision{ID: raw, Decision: "defer", Threshold: theta}
	if math.IsInf(theta, 1) {
		d.Threshold = "inf"
	}
	if r.calibrator.Apply(confidence.Reading{Class: k, Beta: beta}) >= theta {
		d.Decision = "accept"
	}
	return d, nil
}

// parseAnswer reads one JSON object.
func parseAnswer(line []byte) (files.Row, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var values map[string]any
	if err := d.Decode(&values); err != nil {
		return files.Row{}, fmt.Errorf("it is no JSON object: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return files.Row{}, errors.New("it goes on after its JSON object: write one object a line")
	}
	if values == nil {
		return files.Row{}, errors.New("it is null: write one object a line")
	}
	return files.Row{Values: values}, nil
}

// rawID is a row's id as it is written, nil where it has none.
func rawID(row files.Row, id string) (json.RawMessage, error) {
	if id == "" || !row.Has(id) {
		return nil, nil
	}
	v, err := row.Value(id)
	if err != nil || v == nil {
		return nil, err
	}
	return json.Marshal(v)
}

// field returns a field as text.
func field(row files.Row, name, flag string) (string, error) {
	if !row.Has(name) {
		return "", fmt.Errorf("it has no field %q: name the one to use with %s", name, flag)
	}
	return row.Text(name)
}
