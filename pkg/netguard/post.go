package netguard

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
)

// maxAnswer is the number of bytes that [Post] reads of an answer.
const maxAnswer = 500

// Post sends a body to a URL whose host may be private, such as a collector of telemetry that the user names. It returns
// the status and the beginning of the answer.
func Post(ctx context.Context, to *url.URL, contentType string, body []byte) (status int, answer []byte, err error) {
	client := NewClient(Options{AllowHosts: []HostPort{HostOf(to)}})
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", contentType)
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return resp.StatusCode, answer, err
}
