package recorded

import (
	"context"
	"fmt"
	"hash/fnv"
	"reflect"
	"strconv"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/dataset"
	"infnet/harness/fault"
	"infnet/harness/store"
	"infnet/harness/task"
)

// Asked is a dataset that recorded answers answer.
type Asked struct {
	Name, Source string
	IDColumn     string // "" = ids are row numbers
	Examples     []dataset.Example
	Labels       []dataset.Label
	Rule         task.Rule // by which an answer is right
	Tau          float64   // the score from which it is; 0 = grades are 0 or 1
	Defers       bool      // the confidence of an answer decides who is asked next
	Request      func(example int) backends.Request
}

// Needs says what else is asked of every answer.
type Needs struct {
	Generation confidence.Score // of an answer that is no label
	Cost       cost.Model
	Ties       bool // an answer without a confidence has the confidence 0

	Warn func(message string, about ...any) // of what is odd about the answers
}

// Join joins the answers of one model, in o.Path and further files, to the requests of datasets by example id.
func Join(ctx context.Context, o Options, further []string, sets []Asked, needs Needs) (*store.Tape, error) {
	j := newJoin(o.Path, len(further) > 0, sets, needs)
	path := o.Path
	for _, o.Path = range append([]string{path}, further...) {
		if len(further) > 0 {
			j.file = o.Path
		}
		var wrong error // of a row that was read, and does not fit
		err := One(ctx, o, func(r Row) error {
			wrong = j.row(r)
			return wrong
		})
		switch {
		case wrong != nil:
			return nil, fmt.Errorf("%s: %w", path, wrong)
		case err != nil:
			return nil, err
		}
	}
	if err := j.finish(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return j.tape, nil
}

// join finds each request's recorded answer. Rows pass through one at a time, so that files may be larger than memory:
// what stays of a row is a number, and its answer goes to a tape.
type join struct {
	Needs
	path string
	tape *store.Tape
	sets []*joined
	file string // of the row at hand, where there are several

	rows   int    // seen so far
	first  string // the id of the first one
	unused int    // rows that belong to no record of the study, such as answers to another dataset
	stray  struct{ place, id string }
	shared map[int32][]int // requests of several records: by the number of the first answer, those of the others
}

// joined is what is known of the answers to one dataset.
type joined struct {
	Asked
	byID   map[string]int
	answer []int32 // by example: its number on the tape; -1 = no row
	place  []string
	said   []uint64 // by example: a hash of its row, where several files may say the same
	tally
}

// tally counts what came of joining the answers to one dataset.
type tally struct {
	joined, graded, scored int
	differing              int // records whose prompt another record has, with another answer
	sure                   Confidences
}

// newJoin prepares the join of a model's recorded answers.
func newJoin(path string, several bool, sets []Asked, needs Needs) *join {
	j := &join{Needs: needs, path: path, tape: &store.Tape{}, shared: map[int32][]int{}}
	for _, d := range sets {
		n := len(d.Examples)
		s := &joined{Asked: d, byID: make(map[string]int, n), answer: make([]int32, n), place: make([]string, n)}
		for i, e := range d.Examples {
			s.byID[e.ID], s.answer[i] = i, -1
		}
		if several {
			s.said = make([]uint64, n)
		}
		j.sets = append(j.sets, s)
	}
	return j
}

// row joins one row.
func (j *join) row(r Row) error {
	r.Question, r.References, r.Choices = "", nil, nil // for whoever reads the questions
	if j.rows++; j.rows == 1 {
		j.first = r.IDs[0]
	}
	used := ""
	for _, s := range j.sets {
		if r.Dataset != "" && r.Dataset != s.Name {
			continue
		}
		id := r.IDs[0]
		if s.IDColumn == "" && r.Number > 0 {
			id = strconv.Itoa(r.Number)
		}
		if i, ok := s.byID[id]; ok {
			if used != "" {
				return fmt.Errorf("%s: %q is a record of the datasets %s and %s, and nothing says of which this is the answer: "+
					"columns = { dataset = \"COLUMN\" } with the datasets' names in this study, or a model per dataset",
					j.where(r.Place), id, used, s.Name)
			}
			used = s.Name
			if err := j.take(s, i, r); err != nil {
				return err
			}
		}
	}
	if used == "" {
		if j.unused++; j.unused == 1 {
			j.stray.place, j.stray.id = j.where(r.Place), r.IDs[0]
		}
	}
	return nil
}

// where is the place of a row, with its file where there are several.
func (j *join) where(place string) string {
	if j.file == "" {
		return place
	}
	return j.file + ": " + place
}

// take joins a row to example i of a dataset.
func (j *join) take(s *joined, i int, r Row) error {
	says := uint64(0)
	if s.said != nil {
		says = hashRow(r)
	}
	r.Place = j.where(r.Place)
	if s.answer[i] >= 0 {
		if s.said != nil && s.said[i] == says {
			return nil // it says what another file says
		}
		return fmt.Errorf("%s and %s both answer the record %q: record one answer for each", s.place[i], r.Place,
			s.Examples[i].ID)
	}
	a, err := j.answer(s, i, r)
	if err != nil {
		return err
	}
	s.joined++
	if a.Failure == nil {
		s.graded++
	}
	if a.NoLogprobs && s.Defers {
		a = unrecorded(a.Key, "the recorded answer has no confidence, and the model's confidence decides")
	} else if a.Failure == nil {
		s.scored++
		s.sure.Add(a.Confidence, a.Tokens, i, r.Place)
	}
	n, err := j.tape.Add(a)
	if err != nil {
		return fault.Store.Wrap(err)
	}
	s.answer[i], s.place[i] = int32(n), r.Place
	if s.said != nil {
		s.said[i] = says
	}
	if before, again := j.tape.Served(a.Key); again {
		j.shared[int32(before)] = append(j.shared[int32(before)], n)
	} else {
		j.tape.Serve(a.Key, n)
	}
	return nil
}

// hashRow is a hash of all that a row says but for where.
func hashRow(r Row) uint64 {
	r.Place = ""
	h := fnv.New64a()
	v := reflect.ValueOf(r)
	for i := range v.NumField() {
		f := v.Field(i)
		if f.Kind() == reflect.Pointer && !f.IsNil() {
			f = f.Elem() // the number, not where it is
		}
		fmt.Fprintf(h, "%#v\n", f)
	}
	return h.Sum64()
}

// answer is a recorded answer to a record.
func (j *join) answer(s *joined, example int, r Row) (backends.Answer, error) {
	a, err := r.To(s.Request(example), s.Labels)
	if err != nil {
		return a, err
	}
	if a.NoLogprobs && a.Failure == nil && j.Ties {
		a.NoLogprobs, a.Confidence = false, new(float64)
	}
	if err := j.usable(s, a); err != nil {
		return a, fmt.Errorf("%s: %w", r.Place, err)
	}
	if s.Rule == task.Recorded && a.Grade == nil && a.Failure == nil {
		a = unrecorded(a.Key, r.Place+": no grade is recorded with the answer")
	}
	return a, nil
}

func unrecorded(key backends.Key, why string) backends.Answer {
	return backends.Answer{Key: key, Failure: &backends.Failure{Cause: backends.NotRecorded, Message: why}}
}

// finish settles what depends on all rows, and says what is odd.
func (j *join) finish() error {
	if err := j.settle(); err != nil {
		return err
	}
	for _, s := range j.sets {
		if err := j.refuse(s); err != nil {
			return err
		}
		j.warn(s)
	}
	if j.unused > 0 {
		j.Warn("recorded answers belong to no record that the study uses: they are left out", "file", j.path, "answers",
			j.unused, "of", j.rows, "first", j.stray.place, "id", j.stray.id)
	}
	return nil
}

// settle decides which answer serves where records have one request: the first one, in the order of the data, that is
// no failure.
func (j *join) settle() error {
	if len(j.shared) == 0 {
		return nil
	}
	group := map[int32]int32{} // the first answer to the same request, by answer
	for first, others := range j.shared {
		group[first] = first
		for _, n := range others {
			group[int32(n)] = first
		}
	}
	serves := map[int32]backends.Answer{}
	for _, s := range j.sets {
		for _, n := range s.answer {
			first, shared := group[n]
			if !shared {
				continue
			}
			a, err := j.tape.At(int(n))
			if err != nil {
				return fault.Store.Wrap(err)
			}
			before, again := serves[first]
			switch {
			case !again || before.Failure != nil:
				serves[first] = a
				j.tape.Serve(a.Key, int(n))
			case a.Failure == nil && !reflect.DeepEqual(before, a):
				s.differing++
			}
		}
	}
	return nil
}
