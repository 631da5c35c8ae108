package encoder

import "infnet/backends"

// Driver opens sentence encoders in this process.
func Driver() backends.Driver {
	return backends.Driver{
		Kind: backends.Encoder,
		Embedder: func(c backends.Config) (backends.Embedder, error) {
			s, err := backends.SettingsOf[*backends.EncoderConfig](c)
			if err != nil {
				return nil, err
			}
			return OpenFS(c.Files, *s)
		},
		Revision: func(c backends.Config) (string, error) { return Revision(c.Files) },
	}
}
