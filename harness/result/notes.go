package result

import "infnet/harness/result/note"

// Note is a caveat.
type Note = note.Note
