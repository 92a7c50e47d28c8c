package provider

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// requestedWait returns the wait that a server requests, or 0. If detailed is set it also reads OpenAI's headers:
// retry-after-ms, and as a last resort the time until exhausted rate limits reset.
func requestedWait(h http.Header, now time.Time, detailed bool) time.Duration {
	if !detailed {
		return RetryAfter(h, now)
	}
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms > 0 {
		return time.Duration(min(ms*float64(time.Millisecond), math.MaxInt64/2))
	}
	if wait := RetryAfter(h, now); wait > 0 {
		return wait
	}
	return max(rateLimitReset(h, "Requests"), rateLimitReset(h, "Tokens"))
}

// rateLimitReset returns the time until an exhausted rate limit resets, such as "6m0s".
func rateLimitReset(h http.Header, what string) time.Duration {
	if left := h.Get("X-Ratelimit-Remaining-" + what); left != "" && left != "0" {
		return 0
	}
	wait, err := time.ParseDuration(h.Get("X-Ratelimit-Reset-" + what))
	if err != nil {
		return 0
	}
	return max(0, wait)
}

// RetryAfter returns the value of the Retry-After header, the longest if there are several: a server and its gateway may
// each send one.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	longest := time.Duration(0)
	for _, value := range h.Values("Retry-After") {
		longest = max(longest, parseRetryAfter(strings.TrimSpace(value), now))
	}
	return longest
}

// parseRetryAfter parses a number of seconds or an HTTP date. It returns 0 for anything else, such as a list, a negative
// number or a past date, and the maximum duration for a number that is too large.
func parseRetryAfter(value string, now time.Time) time.Duration {
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
