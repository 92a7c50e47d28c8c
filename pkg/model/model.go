// Package model answers requests: a client that speaks the APIs of four kinds of
// server, a fallback over several models, and the replay of a run file. A client
// streams, waits with limits, and repeats a request that failed before the first
// piece of its response.
//
// Everything that ends a reply is a small error type of this package, so that
// the caller can tell them apart; what the model said wrong is not an error
// here. The package looks for no calls in text, and it reads neither the
// environment nor any file.
package model
