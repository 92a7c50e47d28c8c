package cmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"oneshot/pkg/netguard"
	"oneshot/pkg/provider"
	"oneshot/pkg/sleep"
	"oneshot/pkg/telemetry"
)

// Limits of the delivery of a request to a collector.
const (
	exportTimeout  = 30 * time.Second // of an attempt
	exportAttempts = 3
	maxExportWait  = time.Minute // that a collector may ask for
)

// An otlpCollector gets requests over OTLP/HTTP.
type otlpCollector struct {
	ctx      context.Context
	console  *console
	base     *url.URL
	header   http.Header
	rejected []string // the numbers of rejected spans and data points
}

func newOTLPCollector(ctx context.Context, env Env, t *console, address string) (*otlpCollector, error) {
	base, err := url.Parse(address)
	if err != nil || base.Host == "" {
		return nil, usagef("for example --otlp http://127.0.0.1:4318", "--otlp: invalid URL %q", maskUserInfo(address))
	}
	t.hideURL("--otlp", base)
	header, err := collectorHeader(env, t)
	if err != nil {
		return nil, err
	}
	if base.User != nil { // the client of tools refuses it
		if header.Get("Authorization") == "" {
			word, _ := base.User.Password()
			(&http.Request{Header: header}).SetBasicAuth(base.User.Username(), word)
		}
		base.User = nil
	}
	// A redirect would turn the request into a GET.
	ctx = netguard.WithRedirectCheck(ctx, func(*url.URL) error { return netguard.ErrDoNotFollow })
	return &otlpCollector{ctx: ctx, console: t, base: base, header: header}, nil
}

// headersVariable is the variable of the OpenTelemetry specification for the headers of an exporter: pairs K=V with commas
// between them, percent-encoded. They often have a key.
const headersVariable = "OTEL_EXPORTER_OTLP_HEADERS"

// collectorHeader returns the headers of requests to a collector.
func collectorHeader(env Env, t *console) (http.Header, error) {
	header := http.Header{}
	for number, pair := range strings.Split(env.Getenv(headersVariable), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, isPair := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if err != nil || !isPair || !isHeaderName(name) || strings.ContainsFunc(value, unicode.IsControl) {
			return nil, usagef("for example api-key=KEY,tenant=a%20b", "%s: pair %d is not NAME=VALUE, percent-encoded", headersVariable, number+1)
		}
		header.Add(name, value)
		t.hideValue("the header "+name+" in "+headersVariable, value)
	}
	header.Set("Content-Type", "application/json")
	return header, nil
}

// A collectorError reports that a collector did not take an export.
type collectorError struct {
	err    error
	status int // of HTTP; 0 if there is none, or if the answer is wrong in another way
	final  bool
}

func (e *collectorError) Error() string { return e.err.Error() }
func (e *collectorError) Unwrap() error { return e.err }

// isCollectorAuth reports whether a collector wants other credentials.
func isCollectorAuth(err error) bool {
	var e *collectorError
	return errors.As(err, &e) && (e.status == http.StatusUnauthorized || e.status == http.StatusForbidden)
}

// isCollectorRejection reports whether a collector rejects a request itself, or the server is no collector.
func isCollectorRejection(err error) bool {
	var e *collectorError
	return errors.As(err, &e) && e.final
}

// send delivers a request. As the specification of OTLP/HTTP recommends, it tries again if there is no connection or no answer,
// and after the statuses 429, 502, 503 and 504, once the wait that the collector requests is over.
func (c *otlpCollector) send(signal telemetry.Signal, request []byte) error {
	to := c.base.JoinPath("v1", string(signal))
	for number := 1; ; number++ {
		wait, err := c.post(to, request)
		switch {
		case err == nil:
			return nil
		case c.ctx.Err() != nil:
			return causeOr(c.ctx, err)
		case wait < 0:
			return fmt.Errorf("--otlp: %w", err)
		case number == exportAttempts:
			return fmt.Errorf("--otlp: %w", &provider.UnavailableError{Attempts: number, Err: err})
		case wait > maxExportWait:
			return fmt.Errorf("--otlp: %w; it asks to wait %v, more than %v", err, wait, maxExportWait)
		case wait == 0:
			wait = provider.Backoff(number, rand.Float64())
		}
		c.console.note("%v; another attempt in %v", err, wait.Round(time.Millisecond))
		if err := sleep.For(c.ctx, wait); err != nil {
			return err
		}
	}
}

// post makes one attempt. After an error, wait is the one that the collector requests, 0 without one, or negative if another
// attempt cannot succeed.
func (c *otlpCollector) post(to *url.URL, request []byte) (wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(c.ctx, exportTimeout)
	defer cancel()
	resp, answer, err := netguard.Post(ctx, to, c.header, request)
	switch {
	case err != nil && ctx.Err() != nil:
		return 0, &collectorError{err: fmt.Errorf("%s: no answer within %v", to.Redacted(), exportTimeout)}
	case err != nil:
		if !provider.IsConnectionFault(err) || errors.As(err, new(*netguard.RefusedError)) {
			wait = -1
		}
		return wait, &collectorError{err: err}
	case resp.StatusCode/100 == 2:
		return -1, c.readAnswer(to, answer)
	}
	e := &collectorError{err: fmt.Errorf("%s: status %d: %s", to.Redacted(), resp.StatusCode, oneLineExcerpt(string(answer), 500)), status: resp.StatusCode}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return provider.RetryAfter(resp.Header, time.Now()), e
	}
	e.final = resp.StatusCode < http.StatusInternalServerError
	return -1, e
}

// readAnswer reads the answer to an accepted request, and notes the spans and data points that the collector rejected.
func (c *otlpCollector) readAnswer(to *url.URL, answer []byte) error {
	var body struct {
		PartialSuccess struct {
			RejectedSpans, RejectedDataPoints json.RawMessage // as a string or a number
			ErrorMessage                      string
		}
	}
	if answer = bytes.TrimSpace(answer); len(answer) == 0 {
		return nil
	}
	if err := json.Unmarshal(answer, &body); err != nil {
		return &collectorError{err: fmt.Errorf("%s: the answer is not one of OTLP/HTTP in JSON: %s", to.Redacted(), oneLineExcerpt(string(answer), 100)), final: true}
	}
	partial := body.PartialSuccess
	why := cmp.Or(oneLineExcerpt(partial.ErrorMessage, 500), "it gives no reason")
	for _, rejected := range []struct {
		number json.RawMessage
		noun   string
	}{{partial.RejectedSpans, "spans"}, {partial.RejectedDataPoints, "data points"}} {
		if n, _ := strconv.Atoi(strings.Trim(string(rejected.number), `"`)); n > 0 { // without a number nothing was rejected
			c.rejected = append(c.rejected, fmt.Sprintf("%d %s", n, rejected.noun))
			c.console.note("%s: the collector rejected %d %s: %s", to.Redacted(), n, rejected.noun, why)
			partial.ErrorMessage = ""
		}
	}
	if partial.ErrorMessage != "" {
		c.console.note("%s: the collector says: %s", to.Redacted(), why)
	}
	return nil
}

// exportError returns the error of an export that ended with an error or nil.
func (c *otlpCollector) exportError(err error) error {
	var e *collectorError
	switch {
	case err == nil && len(c.rejected) > 0:
		return &collectorError{err: fmt.Errorf("--otlp: the collector rejected %s", strings.Join(c.rejected, ", ")), final: true}
	case !errors.As(err, &e):
		return err
	case isCollectorAuth(err):
		return &hintedError{err, "check " + headersVariable + ", or the user and password in the URL of --otlp"}
	case e.final, e.status == 0:
		return &hintedError{err, "give --otlp the URL of OTLP/HTTP without v1/traces, for example http://127.0.0.1:4318"}
	}
	return err
}
