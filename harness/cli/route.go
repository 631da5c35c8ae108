package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"infnet/harness/confidence"
	"infnet/harness/dataset/files"
	"infnet/harness/policy"
	"infnet/harness/regular"
	"infnet/harness/seed"
)

// routeCommand applies fitted thresholds to answers.
type routeCommand struct {
	File        string `arg:"" name:"thresholds" help:"A thresholds file: of infnet fit -o, or of a run's policies folder."`
	ID          string `help:"Field of the query's id." default:"id" placeholder:"F"`
	Confidence  string `help:"Field of the student's confidence in [0,1], read as the thresholds file says." default:"confidence" placeholder:"F"`
	Class       string `help:"Field of the class the student chose, for a threshold per class." default:"class" placeholder:"F"`
	Calibrated  bool   `help:"The confidences are calibrated already: do not apply the file's calibration."`
	Uncertified bool   `help:"Apply thresholds whose guarantee was asked for and could not be given."`
	Seed        uint64 `help:"Seed of the coins of a mixture: a query's coin depends on it and the id alone." default:"42"`
}

// longestAnswer bounds a line of answers, in bytes.
const longestAnswer = 10 << 20

func (c *routeCommand) Run(ctx context.Context, s *streams) error {
	text, err := regular.ReadFile(c.File)
	if err != nil {
		return withCode(ExitData, fmt.Errorf("cannot read the thresholds: %w", err))
	}
	d, err := policy.DecodeDeployment(text)
	if err != nil {
		return withCode(ExitData, fmt.Errorf("%s: %w", c.File, err))
	}
	if g := d.Guarantee; g != nil && !g.Certified && !c.Uncertified {
		return withCode(ExitData, fmt.Errorf("%s: these thresholds are not certified: a guarantee (%s) was asked for, and no candidate passed on the %d records that tested; "+
			"fit with more records, a larger margin or another target, or apply them all the same with --uncertified", c.File, g.Method, g.Tested))
	}
	r := &router{command: c, policy: d, warn: s.err, unknown: map[string]bool{}}
	if err := r.calibration(); err != nil {
		return withCode(ExitUsage, fmt.Errorf("%s: %w", c.File, err))
	}
	out := bufio.NewWriter(s.out)
	err = r.route(ctx, s.in, out)
	return errors.Join(err, out.Flush())
}

// router decides line by line.
type router struct {
	command    *routeCommand
	policy     policy.Deployment
	calibrator confidence.Calibrator
	classes    map[string]int // class → index, where calibration goes by class
	warn       io.Writer
	unknown    map[string]bool // classes that were reported
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

// route reads lines and writes decisions. An error names the line; what came
// before it is written.
func (r *router) route(ctx context.Context, in io.Reader, out *bufio.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), longestAnswer)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	n := 0
	for lines.Scan() {
		if n++; n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		d, err := r.decide(line)
		if err != nil {
			return withCode(ExitData, fmt.Errorf("line %d: %w", n, err))
		}
		if err := encoder.Encode(d); err != nil {
			return fmt.Errorf("write the decisions: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return withCode(ExitData, fmt.Errorf("line %d: %w", n+1, err))
	}
	return nil
}

// decide decides one query.
func (r *router) decide(line []byte) (decision, error) {
	row, raw, err := parseAnswer(line, r.command.ID)
	if err != nil {
		return decision{}, err
	}
	text, err := field(row, r.command.Confidence, "--confidence")
	if err != nil {
		return decision{}, err
	}
	beta, err := unitNumber(text)
	if err != nil {
		return decision{}, err
	}
	class := ""
	if r.policy.Classed() || r.classes != nil {
		if class, err = field(row, r.command.Class, "--class"); err != nil {
			return decision{}, err
		}
	}
	coin := 0.0
	if r.policy.Mixture != nil {
		id, err := field(row, r.command.ID, "--id")
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

// parseAnswer reads one JSON object, and its id as it is written.
func parseAnswer(line []byte, id string) (files.Row, json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var values map[string]any
	if err := d.Decode(&values); err != nil {
		return files.Row{}, nil, fmt.Errorf("it is no JSON object: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return files.Row{}, nil, errors.New("it goes on after its JSON object: write one object a line")
	}
	if values == nil {
		return files.Row{}, nil, errors.New("it is null: write one object a line")
	}
	row := files.Row{Values: values}
	if !row.Has(id) {
		return row, nil, nil
	}
	v, err := row.Value(id)
	if err != nil || v == nil {
		return row, nil, err
	}
	raw, err := json.Marshal(v)
	return row, raw, err
}

// field returns a field as text.
func field(row files.Row, name, flag string) (string, error) {
	if !row.Has(name) {
		return "", fmt.Errorf("it has no field %q: name the one to use with %s", name, flag)
	}
	return row.Text(name)
}
