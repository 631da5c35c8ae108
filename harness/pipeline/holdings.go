package pipeline

import (
	"errors"
	"fmt"

	"infnet/harness/fault"
)

// Holding counts the stored answers of a remote model that a study uses.
type Holding struct {
	Of      string // the dataset, or "embeddings", "scores"
	Unnamed int    // answers stored before keys held the served name

	model *Model
	path  string
	had   int // answers, Unnamed among them
}

// Model is the model's name.
func (h *Holding) Model() string { return h.model.Name }

// Refused says why answers stored without the served name do not count; "" if they do, or if there
// are none.
func (h *Holding) Refused() string {
	if h.Unnamed == 0 || h.model.servers.countsUnnamed() {
		return ""
	}
	return fmt.Sprintf("model %s, %s: %d answers in %s were stored by an earlier version, without the name by which "+
		"the server knows the model; "+
		"the spec asks for served = %q, which is not the model's id %q, so they may be of another model: "+
		"--accept-unconfirmed counts them as this one's, with a footnote; "+
		"a revision of its own for the model, or another --store, asks and pays for them again", h.model.Name, h.Of,
		h.Unnamed, h.path, h.model.served(), h.model.Config.Model.ID)
}

// Holdings lists what is on disk for remote models.
func (st *Study) Holdings() (list []Holding, err error) {
	for _, m := range st.Models {
		for _, d := range st.Datasets {
			if m.served() == "" || !m.canAnswer(d) {
				continue
			}
			h, err := m.holding(d)
			if err != nil {
				return nil, fault.Store.Wrap(err)
			}
			list = append(list, h)
		}
	}
	for _, v := range (texts{st}).derived() {
		if v.served() == "" || !st.loaded() {
			continue
		}
		h, err := v.holding()
		if err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	return list, nil
}

// holding counts the model's answers to a dataset.
func (m *Model) holding(d *Dataset) (Holding, error) {
	h := Holding{model: m, Of: d.Name}
	answers, err := m.answers(d)
	if err != nil {
		return h, err
	}
	defer answers.Close()
	if h.path = answers.Path(); answers.Len() == 0 {
		return h, nil
	}
	for i := range d.Sheet.Len() {
		r := m.request(d, i)
		if len(r.Labels) > 0 && r.LabelMode == "" {
			r.LabelMode = m.servers.unnamedMode
		}
		if _, old, ok := answers.Find(r); ok {
			h.had++
			if old {
				h.Unnamed++
			}
		}
	}
	return h, nil
}

// checkHoldings reports once how many answers were stored before keys held the served name, and
// refuses those that may be another model's.
func (st confirmation) checkHoldings(held []Holding) error {
	var refused []error
	for _, h := range held {
		if why := h.Refused(); why != "" {
			refused = append(refused, errors.New(why))
		} else if h.Unnamed > 0 && !st.saidUnnamed {
			st.events.Warn("answers on disk were stored without the name by which the server knows the model: they count as "+
				"the model's, with a footnote, and are not asked again",
				"model", h.model.Name, "of", h.Of, "answers", h.Unnamed)
		}
	}
	st.saidUnnamed = true
	return fault.Store.Wrap(errors.Join(refused...))
}
