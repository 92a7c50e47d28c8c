package model

import (
	"errors"
	"fmt"
	"time"

	"oneshot/pkg/wire"
)

// A StatusError is an answer of the server that is no response.
type StatusError struct {
	Status     int
	Message    string        // the server's text, whole, up to 64 KiB
	Codes      []string      // the server's names for the fault, the most specific first
	RetryAfter time.Duration // how long the server asks to wait; 0 if it does not
	Request    string        // method and address, where the server has nothing at that address
}

func (e *StatusError) Error() string {
	if e.Status == 0 { // reported inside a body
		return "model server: " + wire.Excerpt(e.Message)
	}
	text := fmt.Sprintf("status %d without a text", e.Status)
	if e.Message != "" {
		text = fmt.Sprintf("status %d: %s", e.Status, wire.Excerpt(e.Message))
	}
	if e.Request != "" {
		text = e.Request + ": " + text
	}
	return "model server: " + text
}

// An AuthError says that the server wants other credentials.
type AuthError struct {
	Status  int
	Message string // the server's text
}

func (e *AuthError) Error() string {
	return fmt.Sprintf("model server: access denied (status %d): %s", e.Status, wire.Excerpt(e.Message))
}

// An UnknownModelError says that the server does not have the model.
type UnknownModelError struct{ Name string }

func (e *UnknownModelError) Error() string { return fmt.Sprintf("model %q: not on the server", e.Name) }

// An OverflowError says that the request is longer than the model's context.
type OverflowError struct {
	Message string // the server's text
}

func (e *OverflowError) Error() string {
	return "request over the model's context: " + wire.Excerpt(e.Message)
}

// A FormatError says that the server cannot hold the model to the request's
// format. The same request without it may work.
type FormatError struct {
	Err error // a *[StatusError], or why nothing was sent
}

func (e *FormatError) Error() string { return "request format: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// errNoAnyJSON says why a request for just any JSON is not sent.
var errNoAnyJSON = errors.New("the API messages cannot enforce JSON without a schema")

// A NoToolsError says that the model, or its server, cannot call tools natively.
// The same request without tools may work.
type NoToolsError struct {
	Err error // a *[StatusError]
}

func (e *NoToolsError) Error() string { return "native calls: " + e.Err.Error() }

// Unwrap returns the server's answer.
func (e *NoToolsError) Unwrap() error { return e.Err }

// A movedError says that the server wanted the request over another API, and
// that the client has turned to it.
type movedError struct{ err error }

func (e *movedError) Error() string { return e.err.Error() }

func (e *movedError) Unwrap() error { return e.err }

// A TimeoutError says that the server was silent for too long.
type TimeoutError struct {
	What  string // what did not come in time
	Limit time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("model server: no %s within %v", e.What, e.Limit)
}

// A CutError says that a response began and could not be read to its end.
type CutError struct {
	Err error // a *[wire.Error] or what the connection reports
}

func (e *CutError) Error() string { return fmt.Sprintf("model server: %v", e.Err) }

// Unwrap returns the cause.
func (e *CutError) Unwrap() error { return e.Err }

// An UnavailableError says that there is no response to be had: the server
// cannot be reached, or it failed on every attempt.
type UnavailableError struct {
	Attempts int
	Err      error         // of the last attempt
	Wait     time.Duration // set if another attempt would have to wait longer than there is time
}

func (e *UnavailableError) Error() string {
	text := e.Err.Error()
	if e.Attempts > 1 {
		text += fmt.Sprintf(" (attempt %d)", e.Attempts)
	}
	if e.Wait > 0 {
		text += fmt.Sprintf("; the next attempt would have to wait %v, which is more time than there is", e.Wait)
	}
	return text
}

// Unwrap returns the error of the last attempt.
func (e *UnavailableError) Unwrap() error { return e.Err }
