package netguard

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
)

// maxAnswer is the number of bytes that [Post] reads of an answer.
const maxAnswer = 64 << 10

// Post sends a body with headers to a URL whose host may be private, such as a collector of telemetry that the user names.
// It returns the response, whose body is closed, and the beginning of the body.
func Post(ctx context.Context, to *url.URL, header http.Header, body []byte) (*http.Response, []byte, error) {
	client := NewClient(Options{AllowHosts: []HostPort{HostOf(to)}})
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header = header.Clone()
	resp, err := client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return resp, answer, err
}
