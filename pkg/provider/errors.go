package provider

import (
	"fmt"
	"time"

	"oneshot/pkg/provider/wire"
)

// A StatusError is an error response of the server.
type StatusError struct {
	Status     int
	Message    string        // full text of the server, up to 64 KiB
	Codes      []string      // error codes of the server, most specific first
	RetryAfter time.Duration // requested wait; 0 if none
	Request    string        // method and URL, if the server has nothing there
}

func (e *StatusError) Error() string {
	if e.Status == 0 { // reported inside a body
		return "model server: " + wire.Excerpt(e.Message)
	}
	text := fmt.Sprintf("status %d without a message", e.Status)
	if e.Message != "" {
		text = fmt.Sprintf("status %d: %s", e.Status, wire.Excerpt(e.Message))
	}
	if e.Request != "" {
		text = e.Request + ": " + text
	}
	return "model server: " + text
}

// An AttachmentError reports that an API has no form for attachments of a type.
type AttachmentError struct {
	API  string
	Name string // of the attachment
	Type string // its media type
}

func (e *AttachmentError) Error() string {
	return fmt.Sprintf("attachment %s: the API %s has no form for %s", e.Name, e.API, e.Type)
}

// An AuthError reports that the server rejects the credentials.
type AuthError struct {
	Status  int
	Message string // the server's text
	Model   string // as PROVIDER/NAME
}

func (e *AuthError) Error() string {
	return fmt.Sprintf("model server: access denied (status %d): %s", e.Status, wire.Excerpt(e.Message))
}

type UnknownModelError struct{ Name string }

func (e *UnknownModelError) Error() string {
	return fmt.Sprintf("model %q: not found on the server", e.Name)
}

// An OverflowError reports that the request exceeds the model's context.
type OverflowError struct {
	Message string // the server's text
}

func (e *OverflowError) Error() string {
	return "request exceeds the model's context: " + wire.Excerpt(e.Message)
}

// A FormatError reports that the server cannot enforce the request's format. The same request without it may work.
type FormatError struct {
	Err error // a *[StatusError], or the reason nothing was sent
}

func (e *FormatError) Error() string { return "request format: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// A NoToolsError reports that the model or its server does not support native tool calls. The same request without tools
// may work.
type NoToolsError struct {
	Err error // a *[StatusError]
}

func (e *NoToolsError) Error() string { return "native calls: " + e.Err.Error() }

// Unwrap returns the server's error.
func (e *NoToolsError) Unwrap() error { return e.Err }

// A switchedProtocolError reports that the server requires another protocol, and that the client has switched to it.
type switchedProtocolError struct{ err error }

func (e *switchedProtocolError) Error() string { return e.err.Error() }

func (e *switchedProtocolError) Unwrap() error { return e.err }

// A TimeoutError reports that the server was silent for too long.
type TimeoutError struct {
	What  string // the data that did not arrive in time
	Limit time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("model server: no %s within %v", e.What, e.Limit)
}

// A BrokenOffError reports that a response began but could not be read to its end.
type BrokenOffError struct {
	Err error // a *[wire.Error] or an error of the connection
}

func (e *BrokenOffError) Error() string { return fmt.Sprintf("model server: %v", e.Err) }

// Unwrap returns the cause.
func (e *BrokenOffError) Unwrap() error { return e.Err }

// An UnavailableError reports that no response is available: the server cannot be reached, or every attempt failed.
type UnavailableError struct {
	Attempts int
	Err      error         // of the last attempt
	Wait     time.Duration // set if the required wait before another attempt exceeds the remaining time
}

func (e *UnavailableError) Error() string {
	text := e.Err.Error()
	if e.Attempts > 1 {
		text += fmt.Sprintf(" (attempt %d)", e.Attempts)
	}
	if e.Wait > 0 {
		text += fmt.Sprintf("; the next attempt would have to wait %v, longer than the time left", e.Wait)
	}
	return text
}

// Unwrap returns the error of the last attempt.
func (e *UnavailableError) Unwrap() error { return e.Err }
