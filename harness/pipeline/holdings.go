package pipeline

import "infnet/harness/fault"

// Holding counts the stored answers of a remote model that a study uses.
type Holding struct {
	Of string // the dataset, or "embeddings", "scores"

	model *Model
	had   int
}

// Model is the model's name.
func (h *Holding) Model() string { return h.model.Name }

// holdings lists what is on disk for remote models.
func holdings(st *Study) (list []Holding, err error) {
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
	for _, v := range derivedOf(st) {
		if v.served() == "" || !loaded(st) {
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
	for i := range d.Sheet.Len() {
		if answers.Has(m.request(d, i).Key()) {
			h.had++
		}
	}
	return h, nil
}
