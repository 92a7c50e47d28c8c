package executor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/netguard"
)

const (
	wgetMs      = 10_000
	maxWgetMs   = 120_000
	maxPage     = defaultMaxBytes - 1<<10 // bytes of a body, leaving room for a truncation note
	maxFragment = 200                     // characters of an error page in an error message
)

// A fetcher fetches pages.
type fetcher struct {
	client *http.Client
	hide   func(string) string
}

// wget is wget(uri, timeoutMs) (T11): one GET, whose content is returned as text.
func (f fetcher) wget(ctx context.Context, raw json.RawMessage) (chat.Result, error) {
	args, err := decodeStrict[struct {
		URI       string         `json:"uri"`
		TimeoutMs jsontext.Value `json:"timeoutMs"`
	}](raw)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "%v", err), nil
	}
	u, err := netguard.CheckURL(args.URI)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "uri %v", err), nil
	}
	ms, err := parseInteger("timeoutMs", args.TimeoutMs, wgetMs, 1, maxWgetMs)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "%v", err), nil
	}
	if f.client == nil {
		return chat.Failure(chat.Denied, "this run has no network"), nil
	}
	own, cancel := context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
	defer cancel()
	result, err := f.get(own, u)
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil:
		return chat.Result{}, err
	case own.Err() != nil:
		return chat.Failure(chat.Timeout, "%s did not answer completely within %d ms", u.Redacted(), ms), nil
	}
	return netFailure(err), nil
}

// get requests a page and converts the response to a result.
func (f fetcher) get(ctx context.Context, u *url.URL) (chat.Result, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return chat.Result{}, err
	}
	req.Header.Set("User-Agent", "oneshot")
	resp, err := f.client.Do(req)
	if err != nil {
		return chat.Result{}, err
	}
	defer resp.Body.Close()
	p, err := readPage(resp, maxPage)
	if err != nil {
		return chat.Result{}, fmt.Errorf("the response of %s broke off: %w", resp.Request.URL.Redacted(), err)
	}
	if resp.StatusCode < 200 || resp.StatusCode >= 300 { // redirects have been followed
		return statusFailure(resp.StatusCode, f.hide(p.text())), nil
	}
	return chat.Success(f.hide(p.text())), nil
}

// A page is the body of a response, possibly truncated.
type page struct {
	contentType string
	body        []byte
	size        string // size of the whole body, in words
	truncated   bool
}

// readPage reads up to limit bytes of the body of a response.
func readPage(resp *http.Response, limit int) (page, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	var large *netguard.BodyError
	if err != nil && !errors.As(err, &large) {
		return page{}, err
	}
	p := page{contentType: resp.Header.Get("Content-Type"), body: body[:min(len(body), limit)]}
	p.truncated = large != nil || len(body) > limit
	p.size = fmt.Sprintf("%d bytes", len(p.body))
	switch {
	case p.truncated && resp.ContentLength > 0: // as declared by the server
		p.size = fmt.Sprintf("%d bytes", resp.ContentLength)
	case p.truncated: // compressed or chunked
		p.size = "more than " + p.size
	}
	return p, nil
}

// text returns a page as text, or a description if it is not text.
func (p page) text() string {
	media, params, err := mime.ParseMediaType(p.contentType)
	if err != nil {
		media, _, _ = strings.Cut(http.DetectContentType(p.body), ";")
	}
	if !isText(media) {
		return fmt.Sprintf("[%s, %s: not shown, because it is not text]", media, p.size)
	}
	text := decodeText(params["charset"], p.body)
	if p.truncated {
		text += fmt.Sprintf("\n[cut here: %d of %s were read]", len(p.body), p.size)
	}
	return text
}

// decodeText converts text in a charset to UTF-8, replacing invalid bytes.
func decodeText(charset string, body []byte) string {
	text, marked := strings.CutPrefix(string(body), "\ufeff") // the BOM of UTF-8
	if other, known := decodeCharset(charset, body); known && !marked {
		return other
	}
	if utf8.ValidString(text) {
		return text
	}
	text, replaced := replaceInvalid(text)
	return text + fmt.Sprintf("\n[%d bytes that are not UTF-8 were replaced by \ufffd; the page's charset: %s]", replaced, cmp.Or(charset, "not given"))
}

// isText reports whether a media type is textual.
func isText(media string) bool {
	if strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml") || strings.HasSuffix(media, "+yaml") {
		return true
	}
	switch media {
	case "application/json", "application/xml", "application/yaml", "application/x-yaml", "application/toml", "application/javascript",
		"application/ecmascript", "application/x-ndjson", "application/jsonl", "application/sql", "application/x-www-form-urlencoded":
		return true
	}
	return false
}

// replaceInvalid replaces each invalid UTF-8 byte and counts them.
func replaceInvalid(s string) (string, int) {
	var b strings.Builder
	replaced := 0
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 {
			replaced++
		}
		b.WriteRune(r)
		s = s[size:]
	}
	return b.String(), replaced
}
