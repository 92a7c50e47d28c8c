package model

import (
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"oneshot/pkg/wire"
)

// maxErrorBytes is how much of an error body is read.
const maxErrorBytes = 64 << 10

// refusal returns what an answer other than 200 says. Part of its body is
// better than none: an error while reading it changes nothing.
func refusal(resp *http.Response, body io.Reader, model string) error {
	text, _ := io.ReadAll(io.LimitReader(body, maxErrorBytes))
	e := &StatusError{
		Status:     resp.StatusCode,
		Message:    wire.ErrorText(text),
		RetryAfter: retryAfter(resp.Header, time.Now()),
	}
	switch {
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		return &AuthError{Status: e.Status, Message: e.Message}
	case e.Status == http.StatusNotFound && mentions(e.Message, "model", "not found"):
		return &UnknownModelError{Name: model}
	case e.Status == http.StatusBadRequest && overflows(e.Message):
		return &OverflowError{Message: e.Message}
	case e.Status >= 400 && refusesFormat(e.Message):
		return &FormatError{Err: e}
	}
	return e
}

// overflows recognises what Ollama and the llama.cpp server say of a request
// that is too long.
func overflows(text string) bool {
	return mentions(text, "context length") || mentions(text, "context size")
}

// refusesFormat recognises what Ollama says of a format that it cannot enforce;
// its status is 500.
func refusesFormat(text string) bool {
	return mentions(text, "invalid json schema in format") || strings.HasPrefix(text, "invalid format:")
}

// mentions reports whether a text contains all the words, in any case.
func mentions(text string, words ...string) bool {
	text = strings.ToLower(text)
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// retryAfter returns how long a server asks to wait: a number of seconds, or
// the time until an HTTP date. Anything else, such as a list, a negative number
// or a date in the past, is no wish. A number that is too large for a duration
// is the longest duration.
func retryAfter(h http.Header, now time.Time) time.Duration {
	values := h.Values("Retry-After")
	if len(values) != 1 {
		return 0
	}
	value := strings.TrimSpace(values[0])
	if date, err := http.ParseTime(value); err == nil {
		return max(0, date.Sub(now))
	}
	if value == "" || strings.Trim(value, "0123456789") != "" {
		return 0
	}
	seconds, err := strconv.ParseInt(value, 10, 64)
	if err != nil || seconds > math.MaxInt64/int64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(seconds) * time.Second
}
