// Package pool says whether asking several models is worth it. It owns the claim that
// a policy is worth it, its rivals among single models and coins between two, the
// verdict, and the price ratio at which the comparison changes; and for a pool of models the search through all single
// models, pairs, chains of three, ensembles and routers, their convex hull, and the
// loss against an oracle. It refuses to read files, to grade and to print: it works
// on columns of errors, confidences and costs.
//
// Its opinion: the rival of a cascade is not the most expensive model but the
// cheapest way to err as rarely without one. It is found anew on every resample of records
// that had no part in the choice of the policy.
package pool
