package spec

import (
	"infnet/backends"
	"infnet/harness/choice"
)

// Orders lists the valid orders.
func Orders() []Order { return []Order{Shuffle, InFile} }

// UnmarshalText accepts an order's name.
func (o *Order) UnmarshalText(b []byte) error { return choice.Decode(o, b, "order", Orders()) }

// Truncates lists what may happen to long prompts.
func Truncates() []Truncate { return []Truncate{TruncateAllow, TruncateRefuse} }

// UnmarshalText accepts "allow" or "refuse".
func (t *Truncate) UnmarshalText(b []byte) error {
	return choice.Decode(t, b, "treatment of long prompts", Truncates())
}

// BaselineKinds lists the valid baselines.
func BaselineKinds() []BaselineKind {
	return []BaselineKind{NoneDeferred, AllDeferred, Random, FrugalGPT, HybridLLM, OracleRouter}
}

// UnmarshalText accepts a baseline's name.
func (k *BaselineKind) UnmarshalText(b []byte) error {
	return choice.Decode(k, b, "baseline", BaselineKinds())
}

// rawMode is backends.Mode as a closed set.
type rawMode backends.Mode

func modes() []rawMode { return []rawMode{rawMode(backends.Raw), rawMode(backends.Chat)} }

func (m *rawMode) UnmarshalText(b []byte) error { return choice.Decode(m, b, "mode", modes()) }

// rawKind is the kinds that a [backends] table may have.
type rawKind backends.Kind

func tableKinds() []rawKind {
	return []rawKind{rawKind(backends.Local), rawKind(backends.Encoder), rawKind(backends.OpenAI), rawKind(backends.HuggingFace)}
}

func (k *rawKind) UnmarshalText(b []byte) error {
	return choice.Decode(k, b, "backend kind", tableKinds())
}

// rawEmbedderKind is the backends that make vectors and are no model's.
type rawEmbedderKind backends.Kind

func (k *rawEmbedderKind) UnmarshalText(b []byte) error {
	return choice.Decode(k, b, "embedder", embedderKinds())
}
