package backends

// Wrapper is an optional ability of a Model that adds behaviour to another
// one (retries, a rate limit): it names what it wraps, so that the abilities
// of the model inside stay visible.
type Wrapper interface {
	Unwrap() Model
}

// Ability returns the model's optional ability T (Batcher, TokenCounter,
// Shaped, …), looking through wrappers from the outside in.
func Ability[T any](m Model) (T, bool) {
	for m != nil {
		if t, ok := m.(T); ok {
			return t, true
		}
		w, ok := m.(Wrapper)
		if !ok {
			break
		}
		m = w.Unwrap()
	}
	var none T
	return none, false
}
