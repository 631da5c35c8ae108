package huggingface

import "infnet/backends"

// Driver opens models behind Hugging Face inference endpoints.
func Driver() backends.Driver {
	return backends.Driver{
		Kind:  backends.HuggingFace,
		Model: func(c backends.Config) (backends.Model, error) { return Open(c) },
	}
}
