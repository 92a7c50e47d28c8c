package model

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
	"oneshot/pkg/wire"
)

const (
	defaultAttempts = 3
	firstPause      = time.Second      // the most that the first pause can be; it doubles
	longestPause    = 10 * time.Second // the most that any can be
	// longestWait is what a server may ask for when nothing else limits the run.
	longestWait = 10 * time.Minute
)

// A persistence says how often a request is repeated.
type persistence struct {
	attempts int
	rand     func() float64 // in [0, 1)
}

// newPersistence fills in what is not set.
func newPersistence(attempts int, random func() float64) persistence {
	if attempts <= 0 {
		attempts = defaultAttempts
	}
	if random == nil {
		random = rand.Float64
	}
	return persistence{attempts, random}
}

// An attempt makes one request.
type attempt func(ctx context.Context, emit func(chat.Delta)) (chat.Response, error)

// reply makes attempts until one succeeds or none can help. Once a piece of a
// response has been handed on, the attempt is the last one; until then a request
// can be repeated, whatever became of it at the server, because a model that
// answers changes nothing. Every failed attempt but the last is reported to
// delta before the pause that follows it. One that failed over the wrong API
// does not count.
func (p persistence) reply(ctx context.Context, delta func(chat.Delta), try attempt) (chat.Response, error) {
	allowed := p.attempts
	for number := 1; ; number++ {
		heard := false
		resp, err := try(ctx, func(d chat.Delta) { heard = true; delta(d) })
		switch {
		case err == nil:
			return resp, nil
		case ctx.Err() != nil:
			return resp, context.Cause(ctx)
		case heard || !worthRepeating(err):
			return resp, err
		}
		wait := p.pause(number, err)
		if errors.As(err, new(*movedError)) {
			wait = 0
			allowed++
		}
		switch {
		case number >= allowed:
			return resp, &UnavailableError{Attempts: number, Err: err}
		case wait >= timeLeft(ctx):
			return resp, &UnavailableError{Attempts: number, Err: err, Wait: wait}
		}
		delta(chat.Delta{Attempt: &chat.Attempt{Number: number, Error: err.Error(), Status: statusOf(err), Wait: wait}})
		if err := sleep(ctx, wait); err != nil {
			return chat.Response{}, err
		}
	}
}

// pause returns how long to wait after a failed attempt: what the server asks
// for, otherwise a random part of a limit that doubles (full jitter), so that
// clients that failed together do not come back together.
func (p persistence) pause(number int, err error) time.Duration {
	var status *StatusError
	if errors.As(err, &status) && status.RetryAfter > 0 {
		return status.RetryAfter
	}
	limit := min(longestPause, firstPause<<min(number-1, 10))
	return time.Duration(p.rand() * float64(limit))
}

// timeLeft returns how long a wait may be.
func timeLeft(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return longestWait
	}
	return time.Until(deadline)
}

// sleep waits. It returns the cause of the context's end, if that comes first.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// worthRepeating reports whether the same request may succeed later. It asks
// for a failure that nothing has been heard before. A server that was silent
// from the beginning has had its time; one that fell silent may do better.
func worthRepeating(err error) bool {
	var status *StatusError
	var cut *CutError
	var silence *TimeoutError
	switch {
	case errors.As(err, &silence):
		return silence.What == furtherData
	case errors.As(err, new(*FormatError)), errors.As(err, new(*NoToolsError)):
		return false
	case errors.As(err, new(*movedError)):
		return true
	case errors.As(err, &status):
		return status.temporary()
	case errors.As(err, &cut):
		return cut.temporary()
	}
	return isConnectionFault(err)
}

// temporary reports whether a status can pass. 408 and 425 can, although they
// answer a POST: see [persistence.reply]. No status does when it means that the
// account is used up, 500 does not when it is about the request, and 501 never
// does. Statuses over 511 are those of proxies and of Anthropic (529,
// overloaded).
func (e *StatusError) temporary() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusForbidden:
		return !e.isCalled(codeQuota) && (e.Status != http.StatusForbidden || e.limitsRate())
	case http.StatusInternalServerError:
		return !e.says("option") || !e.says("must be of type")
	case http.StatusNotImplemented:
		return false
	}
	return e.Status > http.StatusInternalServerError
}

// temporary reports whether a response that broke off may come whole next time.
func (e *CutError) temporary() bool {
	var fault *wire.Error
	if errors.As(e.Err, &fault) {
		return fault.Kind == wire.Cut || fault.Kind == wire.Empty || fault.Kind == wire.Server && !slices.Contains(fault.Codes, codeQuota)
	}
	return true
}

// broken are the errors of a connection that was closed or reset.
var broken = []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED}

// isConnectionFault reports whether a request got no answer because there was
// no connection, or it broke before the answer. A name that does not exist is
// no such fault.
func isConnectionFault(err error) bool {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return dns.IsTemporary && !dns.IsNotFound
	}
	var op *net.OpError
	if errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") {
		return true
	}
	return slices.ContainsFunc(broken, func(target error) bool { return errors.Is(err, target) })
}

// statusOf returns the HTTP status that an error is about, or 0.
func statusOf(err error) int {
	var status *StatusError
	if errors.As(err, &status) {
		return status.Status
	}
	return 0
}
