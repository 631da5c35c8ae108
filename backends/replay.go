package backends

// ReplayConfig opens a model whose answers were recorded elsewhere.
type ReplayConfig struct {
	Source  string     // the file they come from, for messages
	Answers Recordings // by request; a Failure in one says why it cannot be used
}

// Recordings are recorded answers by request. There may be more than memory holds, so reading one
// can fail.
type Recordings interface {
	Len() int
	Answer(Key) (a Answer, ok bool, err error)
}

// NoColumn stands for a column of a table that is not to be read, whatever its usual name is.
const NoColumn = "\x00none"
