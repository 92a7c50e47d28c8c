package model

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// wishedWait returns how long a server asks to wait, or 0. detailed says that it
// also uses OpenAI's headers: retry-after-ms, and where there is no other wish
// the time until the limits that are used up are whole again.
func wishedWait(h http.Header, now time.Time, detailed bool) time.Duration {
	if !detailed {
		return retryAfter(h, now)
	}
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms > 0 {
		return time.Duration(min(ms*float64(time.Millisecond), math.MaxInt64/2))
	}
	if wait := retryAfter(h, now); wait > 0 {
		return wait
	}
	return max(resetOf(h, "Requests"), resetOf(h, "Tokens"))
}

// resetOf returns how long it takes until a limit that is used up is whole
// again, such as "6m0s".
func resetOf(h http.Header, what string) time.Duration {
	if left := h.Get("X-Ratelimit-Remaining-" + what); left != "" && left != "0" {
		return 0
	}
	wait, err := time.ParseDuration(h.Get("X-Ratelimit-Reset-" + what))
	if err != nil {
		return 0
	}
	return max(0, wait)
}

// retryAfter returns the wish of a Retry-After header, the longest one where
// there are several: a server and a gateway in front of it may each have one.
func retryAfter(h http.Header, now time.Time) time.Duration {
	longest := time.Duration(0)
	for _, value := range h.Values("Retry-After") {
		longest = max(longest, wish(strings.TrimSpace(value), now))
	}
	return longest
}

// wish reads a number of seconds, or the time until an HTTP date. Anything else,
// such as a list, a negative number or a date in the past, is no wish. A number
// that is too large for a duration is the longest duration.
func wish(value string, now time.Time) time.Duration {
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
