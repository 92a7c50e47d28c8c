package cmd

import (
	"net"
	"net/http"
	"syscall"
	"testing"

	"oneshot/pkg/provider"
)

// A server that refuses connections ends a batch before the first success. Afterwards, and if the connection broke later, only
// the record fails.
func TestConnectFailureConcernsAll(t *testing.T) {
	unavailable := func(op string, err error) error {
		return &provider.UnavailableError{Attempts: 3, Err: &net.OpError{Op: op, Net: "tcp", Err: err}}
	}
	refused := unavailable("dial", syscall.ECONNREFUSED)
	b := new(batchRun)
	for _, err := range []error{refused, unavailable("proxyconnect", refused)} {
		if !b.concernsAll(err) {
			t.Errorf("%v does not end the batch", err)
		}
	}
	for _, err := range []error{unavailable("read", syscall.ECONNRESET), &provider.StatusError{Status: http.StatusServiceUnavailable}} {
		if b.concernsAll(err) {
			t.Errorf("%v ends the batch", err)
		}
	}
	b.hasSuccess.Store(true)
	if b.concernsAll(refused) {
		t.Errorf("%v ends the batch after a success", refused)
	}
}
