package provider

import (
	"context"
	"io"
	"time"
)

// A watchdog ends a context with a *[TimeoutError] if a server is silent: if the output of a model does not begin within
// one limit or pauses longer than another. It counts only the time spent waiting for the server, not the processing of
// deltas. (http.Client.Timeout would also end a long response in progress.)
type watchdog struct {
	cancel    context.CancelCauseFunc
	firstByte time.Duration
	idle      time.Duration
	waited    time.Duration // for the server
	what      string        // expected data
	limit     time.Duration // time limit for it
	left      time.Duration // rest of the limit when the timer was last started or stopped
	since     time.Time     // start of the timer
	timer     *time.Timer
	running   bool
}

// Data that a watchdog waits for.
const (
	awaitResponse = "response"
	awaitOutput   = "output" // the response is announced, without a text, reasoning or a call
	awaitData     = "further data"
)

// newWatchdog starts a watchdog. The caller must call stop.
func newWatchdog(ctx context.Context, firstByte, idle time.Duration) (context.Context, *watchdog) {
	ctx, bite := context.WithCancelCause(ctx)
	w := &watchdog{cancel: bite, firstByte: firstByte, idle: idle, what: awaitResponse, limit: firstByte, left: firstByte}
	w.startTimer()
	return ctx, w
}

// startTimer starts the timer for the rest of the limit.
func (w *watchdog) startTimer() {
	silence := &TimeoutError{What: w.what, Limit: w.limit}
	w.since, w.running = time.Now(), true
	w.timer = time.AfterFunc(w.left, func() { w.cancel(silence) })
}

// read reads from a body while the timer runs.
func (w *watchdog) read(body io.Reader, p []byte) (int, error) {
	if !w.running {
		w.startTimer()
	}
	n, err := body.Read(p)
	w.timer.Stop()
	w.running = false
	waited := time.Since(w.since)
	w.left -= waited
	w.waited += waited
	return n, err
}

// resetLimit records that the expected data has arrived. It is called between reads.
func (w *watchdog) resetLimit() {
	w.what, w.limit, w.left = awaitData, w.idle, w.idle
}

// extendLimit records that data has arrived before any output of the model, such as the announcement of the response. The
// model may still think for the rest of the first limit.
func (w *watchdog) extendLimit() {
	w.resetLimit()
	if left := w.firstByte - w.waited; left > w.left {
		w.what, w.limit, w.left = awaitOutput, w.firstByte, left
	}
}

// stop ends the watchdog and the request that uses its context.
func (w *watchdog) stop() {
	w.timer.Stop()
	w.cancel(context.Canceled)
}

// A watchedReader is a body with its watchdog. Every byte counts as progress.
type watchedReader struct {
	body io.Reader
	dog  *watchdog
}

func (r watchedReader) Read(p []byte) (int, error) {
	n, err := r.dog.read(r.body, p)
	if n > 0 {
		r.dog.resetLimit()
	}
	return n, err
}
