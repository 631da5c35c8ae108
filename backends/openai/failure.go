package openai

import (
	"infnet/backends"
	"infnet/backends/httpfailure"
)

func badResponse(format string, args ...any) *backends.Failure {
	return httpfailure.BadResponse(format, args...)
}

func badRequest(format string, args ...any) *backends.Failure {
	return httpfailure.BadRequest(format, args...)
}

// clean makes a server's words one short printable line.
func clean(s string) string { return httpfailure.Clean(s) }
