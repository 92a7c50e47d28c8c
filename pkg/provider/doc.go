// Package provider sends requests to models: it has a client, a fallback over several
// models, and a replay of run files. Each protocol is one value in the list [Protocols],
// which serves the client and the readers of captured bodies. The client streams,
// enforces timeouts, and retries a request that failed before the first delta of
// its response.
//
// Every failure of a reply has its own error type; mistakes of the model are not
// errors here. The package does not parse calls in text, and it reads neither the
// environment nor files.
package provider
