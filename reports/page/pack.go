package page

import (
	"encoding/json"
	"fmt"
	"math"
)

// theta is a threshold, which may be infinite: then it is a text, as JSON has no such number.
type theta float64

// MarshalJSON writes a finite threshold as a number.
func (x theta) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(x), 0) {
		return json.Marshal(fmt.Sprint(float64(x)))
	}
	return json.Marshal(float64(x))
}
