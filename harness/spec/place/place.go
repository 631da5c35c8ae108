// Package place says where in the TOML text of a spec a mistake is, and what
// was probably meant: positions of keys and values, problems with the line and
// a caret, the nearest valid name. It owns how mistakes are printed and hides
// the secrets in the lines that it shows. It refuses to know what a key means:
// package spec decides what is wrong.
//
// Its opinion: an error about a file shows the line, points at the place, says
// how to fix it, and comes together with all the others.
package place
