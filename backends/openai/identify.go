package openai

import (
	"context"
	"strings"

	"infnet/backends"
	"infnet/backends/wire"
)

// identify reads the list of models and the server's own routes. The result is only shown to
// people: capabilities are tested separately, and a route that fails, hangs or returns nonsense
// becomes a note.
func (s *survey) identify() error {
	owner := ""
	err := s.aside("models", s.m.aside, func() (err error) {
		owner, err = s.models()
		return err
	})
	if err != nil {
		return err
	}
	switch owner {
	case "vllm", "sglang":
		s.p.Server = owner
	case "llamacpp":
		s.p.Server = "llama.cpp"
	case "library":
		s.p.Server = "ollama"
	case "system", "openai", "openai-internal":
		s.p.Server = "openai"
		return nil
	}
	return s.aside("version", s.m.aside, s.version)
}

// models reads the list of models, and the owner of the one that is used.
func (s *survey) models() (owner string, err error) {
	var all struct {
		Data list `json:"data"`
	}
	if _, err := s.m.wire.Call(s.ctx, wire.Call{Path: "/models",
		Read: func(r *wire.Reply) *backends.Failure { return r.JSON(&all) }}); err != nil {
		return "", err
	}
	for _, d := range all.Data {
		name := s.words(d.ID)
		if clean(d.ID) != d.ID {
			name += " (with characters that do not show)"
		}
		s.p.Models = append(s.p.Models, name)
		if d.ID == s.m.cfg.Served || len(all.Data) == 1 {
			owner, s.p.Context = d.OwnedBy, max(d.MaxLen, d.Meta.Context)
		}
	}
	return owner, nil
}

func (s *survey) version() error {
	var v struct {
		Version string `json:"version"`
		Model   string `json:"model_id"`
		Total   int    `json:"max_total_tokens"`
		Build   string `json:"build_info"`
		Default struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	var missed error
	for _, r := range []struct {
		server, path string
		found        func() bool
	}{
		{"vllm", "/version", func() bool { return v.Version != "" }},
		{"sglang", "/server_info", func() bool { return v.Version != "" }},
		{"sglang", "/get_server_info", func() bool { return v.Version != "" }}, // its older name
		{"ollama", "/api/version", func() bool { return v.Version != "" }},
		{"llama.cpp", "/props", func() bool { return v.Build != "" || v.Default.Context > 0 }},
		{"tgi", "/info", func() bool { return v.Model != "" }},
	} {
		if s.p.Server != "" && s.p.Server != r.server {
			continue
		}
		if err := own(s.ctx, s.m.wire, r.path, nil, &v); err != nil {
			switch {
			case s.ctx.Err() != nil:
				return context.Cause(s.ctx)
			case s.p.Server != "": // that a server lacks another's route is no news
				missed = err
			}
			continue
		}
		if !r.found() {
			continue
		}
		s.p.Server = r.server
		s.p.Version = s.words(strings.TrimSpace(v.Version + v.Build))
		for _, n := range []int{v.Total, v.Default.Context} {
			if n > 0 {
				s.p.Context = n
			}
		}
		return nil
	}
	return missed
}

// loaded asks an Ollama, which by now has loaded the model, how long a context it
// gave it.
func (s *survey) loaded() error {
	if s.p.Server != "ollama" {
		return nil
	}
	var ps struct {
		Models []struct {
			Name    string `json:"name"`
			Context int    `json:"context_length"`
		} `json:"models"`
	}
	err := s.aside("loaded", s.m.aside, func() error { return own(s.ctx, s.m.wire, "/api/ps", nil, &ps) })
	for _, m := range ps.Models {
		if m.Name == s.m.cfg.Served || m.Name == s.m.cfg.Served+":latest" {
			s.p.Context = m.Context
		}
	}
	return err
}
