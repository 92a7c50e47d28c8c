package provider

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"syscall"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
	"oneshot/pkg/sleep"
)

const (
	defaultAttempts = 3
	baseBackoff     = time.Second      // maximum of the first backoff; it doubles
	maxBackoff      = 10 * time.Second // maximum of any backoff
	// maxWait is the maximum wait that a server may request if the run has no deadline.
	maxWait = 10 * time.Minute
)

// A retryPolicy limits the attempts of a request.
type retryPolicy struct {
	attempts int
	rand     func() float64 // in [0, 1)
}

// newRetryPolicy returns a policy with defaults applied.
func newRetryPolicy(attempts int, random func() float64) retryPolicy {
	if attempts <= 0 {
		attempts = defaultAttempts
	}
	if random == nil {
		random = rand.Float64
	}
	return retryPolicy{attempts, random}
}

// An attempt makes one request.
type attempt func(ctx context.Context, emit func(chat.Delta)) (chat.Response, error)

// reply makes attempts until one succeeds or a retry cannot help. After the first delta of a response there are no more
// attempts. Before it a request can be repeated whatever its outcome, because a model's answer has no side effects.
// Every failed attempt except the last is reported to delta before the wait, and the retry after it. A switch of the protocol
// does not count as an attempt.
func (p retryPolicy) reply(ctx context.Context, delta func(chat.Delta), try attempt) (chat.Response, error) {
	allowed := p.attempts
	for number := 1; ; number++ {
		heard := false
		resp, err := try(ctx, func(d chat.Delta) { heard = true; delta(d) })
		switch {
		case err == nil:
			return resp, nil
		case ctx.Err() != nil:
			return resp, context.Cause(ctx)
		case heard || !isRetryable(err):
			return resp, err
		}
		wait := p.backoff(number, err)
		if errors.As(err, new(*switchedProtocolError)) {
			wait = 0
			allowed++
		}
		switch {
		case number >= allowed:
			return resp, &UnavailableError{Attempts: number, Err: err}
		case wait >= timeLeft(ctx):
			return resp, &UnavailableError{Attempts: number, Err: err, Wait: wait}
		}
		failed := newAttempt(number, resp, err)
		failed.Wait = wait
		delta(chat.Delta{Attempt: &failed})
		if err := sleep.For(ctx, wait); err != nil {
			return chat.Response{}, err
		}
		delta(chat.Delta{IsRetry: true})
	}
}

// newAttempt returns a failed attempt. Resp holds the parts of its response that arrived.
func newAttempt(number int, resp chat.Response, err error) chat.Attempt {
	a := chat.Attempt{Number: number, Error: err.Error(), Status: statusOf(err), By: resp.By}
	if MayBeCharged(resp, err) {
		a.Charged, a.Usage = true, resp.Usage
	}
	return a
}

// MayBeCharged reports whether the server may charge for a request that failed: it had counted tokens, it was silent or the
// response broke off. Rejected requests and those without a connection are free.
func MayBeCharged(resp chat.Response, err error) bool {
	var cut *BrokenOffError
	switch {
	case resp.Unsent:
		return false
	case resp.Usage != chat.Usage{}, errors.As(err, new(*TimeoutError)):
		return true
	case errors.As(err, &cut):
		var fault *wire.Error
		return !errors.As(cut.Err, &fault) || fault.Kind != wire.ServerError
	}
	return false
}

// backoff returns the wait after a failed attempt: as requested by the server, otherwise exponential backoff with full
// jitter.
func (p retryPolicy) backoff(number int, err error) time.Duration {
	var status *StatusError
	if errors.As(err, &status) && status.RetryAfter > 0 {
		return status.RetryAfter
	}
	return Backoff(number, p.rand())
}

// Backoff returns the wait after a number of failed attempts: exponential backoff with full jitter. Random is in [0, 1).
func Backoff(failed int, random float64) time.Duration {
	return time.Duration(random * float64(min(maxBackoff, baseBackoff<<min(failed-1, 10))))
}

// timeLeft returns the maximum wait.
func timeLeft(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return maxWait
	}
	return time.Until(deadline)
}

// isRetryable reports whether the same request may succeed later, given an error before the first delta. A server without
// any output has used up its time; one that fell silent later may recover.
func isRetryable(err error) bool {
	var status *StatusError
	var cut *BrokenOffError
	var silence *TimeoutError
	switch {
	case errors.As(err, &silence):
		return silence.What == awaitData
	case errors.As(err, new(*FormatError)), errors.As(err, new(*NoToolsError)):
		return false
	case errors.As(err, new(*switchedProtocolError)):
		return true
	case errors.As(err, &status):
		return status.isTemporary()
	case errors.As(err, &cut):
		return cut.isTemporary()
	}
	return IsConnectionFault(err)
}

// isTemporary reports whether a status is temporary. 408 and 425 are, although the request is a POST: see
// [retryPolicy.reply]. No status is if the quota is exhausted, 500 is not if it is about the request, and 501 never is.
// Statuses over 511 are from proxies and Anthropic (529, overloaded).
func (e *StatusError) isTemporary() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusForbidden:
		return !e.hasCode(codeQuota) && (e.Status != http.StatusForbidden || e.isRateLimit())
	case http.StatusInternalServerError:
		return !e.contains("option") || !e.contains("must be of type")
	case http.StatusNotImplemented:
		return false
	}
	return e.Status > http.StatusInternalServerError
}

// isTemporary reports whether a response that broke off may be complete next time.
func (e *BrokenOffError) isTemporary() bool {
	var fault *wire.Error
	if errors.As(e.Err, &fault) {
		return fault.Kind == wire.Truncated || fault.Kind == wire.Empty || fault.Kind == wire.ServerError && !slices.Contains(fault.Codes, codeQuota)
	}
	return true
}

// connectionErrors are the errors of a closed or reset connection.
var connectionErrors = []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED}

// IsConnectionFault reports whether a request got no answer because connecting failed, or because the connection broke or
// timed out. An unknown host name and the end of the caller's context do not count.
func IsConnectionFault(err error) bool {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return dns.IsTemporary && !dns.IsNotFound
	}
	var op *net.OpError
	if errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") {
		return true
	}
	var timed net.Error // of the TLS handshake, or of the system
	if errors.As(err, &timed) && timed.Timeout() && !errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	return slices.ContainsFunc(connectionErrors, func(target error) bool { return errors.Is(err, target) })
}

// statusOf returns the HTTP status of an error, or 0.
func statusOf(err error) int {
	var status *StatusError
	if errors.As(err, &status) {
		return status.Status
	}
	return 0
}
