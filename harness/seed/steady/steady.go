// Package steady makes property tests draw the same cases in every run, so that a change fails its tests and not the
// next one. Test packages that use rapid import it for that alone. It refuses to be part of the program. Other cases:
// -rapid.seed=0 draws new ones.
package steady

import (
	"flag"

	_ "pgregory.net/rapid" // whose flag it is
)

func init() {
	if err := flag.Set("rapid.seed", "42"); err != nil {
		panic(err)
	}
}
