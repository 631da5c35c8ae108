package bart

import "infnet/backends"

// Driver opens scorers in this process.
func Driver() backends.Driver {
	return backends.Driver{
		Kind: backends.BART,
		Scorer: func(c backends.Config) (backends.Scorer, error) {
			s, err := backends.SettingsOf[*backends.ScorerConfig](c)
			if err != nil {
				return nil, err
			}
			return OpenFS(c.Files, s.Threads)
		},
		Revision: func(c backends.Config) (string, error) { return Revision(c.Files) },
	}
}
