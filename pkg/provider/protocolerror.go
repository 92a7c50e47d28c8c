package provider

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"oneshot/pkg/provider/wire"
)

// A ProtocolError reports that the server, or a proxy in its place, does not speak the protocol.
type ProtocolError struct{ Err error }

func (e *ProtocolError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ProtocolError) Unwrap() error { return e.Err }

// IsRejection reports whether the server rejects the request itself or does not speak the protocol, so that the same
// request would fail again.
func IsRejection(err error) bool {
	var status *StatusError
	var fault *wire.Error
	switch {
	case errors.As(err, new(*ProtocolError)), errors.As(err, new(*NoToolsError)), errors.As(err, new(*FormatError)):
		return true
	case errors.As(err, &status):
		return status.Status != 0 && status.Status != http.StatusTooManyRequests && !status.isTemporary()
	case errors.As(err, new(*BrokenOffError)) && errors.As(err, &fault):
		return fault.Kind == wire.Malformed
	}
	return false
}

// isProtocolFault reports whether package net/http could not parse the answer. Most of these errors have no type.
func isProtocolFault(err error) bool {
	if errors.As(err, new(*tls.CertificateVerificationError)) || errors.As(err, new(tls.RecordHeaderError)) {
		return true
	}
	for _, text := range []string{"malformed HTTP", "response headers exceeded", "HTTP response to HTTPS client"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}

// checkEncoding returns an error if the response is compressed, which was not requested.
func checkEncoding(resp *http.Response) error {
	encoding := resp.Header.Get("Content-Encoding")
	if encoding == "" || strings.EqualFold(encoding, "identity") {
		return nil
	}
	return &ProtocolError{fmt.Errorf("model server: the response has the Content-Encoding %s, which was not requested", wire.Excerpt(encoding))}
}

// publicURL returns a URL without parts that may be secret.
func publicURL(u *url.URL) string {
	shown := *u
	shown.User, shown.RawQuery, shown.Fragment = nil, "", ""
	return shown.String()
}

// notFoundRequestLine returns method and URL of a request if its response means that nothing is there,
// otherwise "".
func notFoundRequestLine(resp *http.Response) string {
	if resp.Request == nil || resp.StatusCode != http.StatusNotFound && resp.StatusCode != http.StatusMethodNotAllowed {
		return ""
	}
	return resp.Request.Method + " " + publicURL(resp.Request.URL)
}
