package cmd

import (
	"net"
	"net/http"
	"syscall"
	"testing"

	"oneshot/pkg/provider"
)

// A server that refuses connections ends a batch until the main model or a fallback, and the responder, have responded to the
// command. Afterwards, and if the connection breaks later, only the record fails.
func TestConnectFailureConcernsAll(t *testing.T) {
	unavailable := func(op string, err error) error {
		return &provider.UnavailableError{Attempts: 3, Err: &net.OpError{Op: op, Net: "tcp", Err: err}}
	}
	refused := unavailable("dial", syscall.ECONNREFUSED)
	b := &batchRun{limiter: new(batchLimiter)}
	b.shared = &sharedPlan{models: &chosenModels{names: []string{"x/main", "x/fallback", "x/responder"}, hasResponder: true}}
	check := func(err error, want bool) {
		t.Helper()
		if b.concernsAll(err) != want {
			t.Errorf("%v: concernsAll is %v, want %v", err, !want, want)
		}
	}
	check(refused, true)
	check(unavailable("proxyconnect", refused), true)
	check(unavailable("read", syscall.ECONNRESET), false)
	check(&provider.UnavailableError{Attempts: 3, Err: &provider.StatusError{Status: http.StatusServiceUnavailable}}, false)
	b.limiter.responded.Store("x/main", false) // to an earlier command
	b.limiter.responded.Store("x/responder", true)
	check(refused, true)
	b.limiter.responded.Store("x/fallback", true)
	check(refused, false)
}
