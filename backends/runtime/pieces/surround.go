package pieces

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Surround is the post-processor of a tokenizer.json: the tokens around a text. What it says of pairs of texts is
// not read.
type Surround struct {
	Type       string     `json:"type"`
	Processors []Surround `json:"processors"` // of a Sequence
	Single     []struct { // of TemplateProcessing
		Special  *struct{ ID string } `json:"SpecialToken"`
		Sequence *struct{ ID string } `json:"Sequence"`
	} `json:"single"`
	Special map[string]struct{ IDs []int32 } `json:"special_tokens"`
	Begin   named                            `json:"cls"` // of RobertaProcessing and BertProcessing
	End     named                            `json:"sep"`
}

// named is a token and its id, ["</s>", 2].
type named struct{ id int32 }

func (n *named) UnmarshalJSON(b []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(b, &pair); err != nil || len(pair) != 2 {
		return fmt.Errorf("want a token and its id, not %.40s", b)
	}
	return json.Unmarshal(pair[1], &n.id)
}

// Around returns the ids before and after a text; known reports whether there is a token of an id. None = nothing
// is put around it.
func (s *Surround) Around(known func(id int32) bool) (before, after []int32, err error) {
	if s == nil {
		return nil, nil, nil
	}
	if before, after, err = s.around(); err != nil {
		return nil, nil, fmt.Errorf("post_processor: %w", err)
	}
	for _, ids := range [][]int32{before, after} {
		for _, id := range ids {
			if !known(id) {
				return nil, nil, fmt.Errorf("post_processor: it adds token %d, which does not exist", id)
			}
		}
	}
	return before, after, nil
}

func (s *Surround) around() (before, after []int32, err error) {
	switch s.Type {
	case "ByteLevel": // trims offsets
		return nil, nil, nil
	case "BertProcessing", "RobertaProcessing":
		return []int32{s.Begin.id}, []int32{s.End.id}, nil
	case "TemplateProcessing":
		return s.template()
	case "Sequence":
		for i := range s.Processors {
			b, a, err := s.Processors[i].around()
			if err != nil {
				return nil, nil, err
			}
			before, after = append(before, b...), append(after, a...)
		}
		return before, after, nil
	}
	return nil, nil, fmt.Errorf("%q is not supported: want TemplateProcessing, RobertaProcessing, BertProcessing, "+
		"ByteLevel or none", s.Type)
}

// template reads special tokens around one text, A.
func (s *Surround) template() (before, after []int32, err error) {
	seen := false
	for _, p := range s.Single {
		switch {
		case p.Sequence != nil && p.Sequence.ID == "A" && !seen:
			seen = true
		case p.Special != nil:
			special, ok := s.Special[p.Special.ID]
			if !ok || len(special.IDs) == 0 {
				return nil, nil, fmt.Errorf("the template's token %q is not in its special_tokens", p.Special.ID)
			}
			if seen {
				after = append(after, special.IDs...)
			} else {
				before = append(before, special.IDs...)
			}
		default:
			return nil, nil, errors.New("want a template of special tokens around one sequence A")
		}
	}
	if !seen {
		return nil, nil, errors.New("the template leaves the text out")
	}
	return before, after, nil
}
