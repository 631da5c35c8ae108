package backends

// Driver is one kind of backend: what it can do, and how its models are
// opened. A nil function is something the kind cannot do. Package open lists
// the drivers.
type Driver struct {
	Kind Kind

	Model    func(Config) (Model, error)    // answers requests
	Embedder func(Config) (Embedder, error) // embeds texts
	Scorer   func(Config) (Scorer, error)   // scores pairs of texts

	// Batch writes and reads batch files, with classifications that are asked in this way.
	Batch func(Config, LabelMode) (Batch, error)

	// Revision identifies everything that decides a model's answers. Without it
	// the revision is Config.Model.Revision, as for servers.
	Revision func(Config) (string, error)

	// Inspect reads what a folder says about its model apart from the weights.
	Inspect func(Config) (Facts, error)
}

// Facts are what is known about a model before its weights are read: enough to
// price a study and to check its labels.
type Facts interface {
	Shaped
	LabelChecker
}
