// Package pool says whether asking several models is worth it. It owns the
// comparison of a policy with the best single model that errs no more, where a
// coin between two models counts as one, and the price ratio at which that
// comparison changes; and for a pool of models the search through all single
// models, pairs, chains of three, ensembles and routers, their convex hull, and the
// loss against an oracle. It refuses to read files, to grade and to print: it works
// on columns of errors, confidences and costs.
//
// Its opinion: the rival of a cascade is not the most expensive model but the
// cheapest way to err as rarely without one. The rival is found on the fit part
// and both are measured on the test part.
package pool
