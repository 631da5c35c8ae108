// Package place locates mistakes in the TOML text of a spec and suggests what was meant. It owns
// the positions of keys and values, problems with the source line and a caret, and the nearest
// valid name; it masks secrets in the lines that it shows. It refuses to know what a key means:
// package spec decides what is wrong.
//
// Its opinion: an error about a file shows the line, points at the place, says
// how to fix it, and comes together with all the others.
package place
