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
	maxPage     = defaultMaxBytes - 1<<10 // bytes of a body: with the note that it was cut, a result has room for it
	maxFragment = 200                     // characters of an error page in an error message
)

// A fetcher gets pages.
type fetcher struct {
	client *http.Client
	hide   func(string) string
}

// wget is wget(uri, timeoutMs) (T11): one GET, whose content comes back as text.
func (f fetcher) wget(ctx context.Context, raw json.RawMessage) (chat.Result, error) {
	args, err := decode[struct {
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
	ms, err := integer("timeoutMs", args.TimeoutMs, wgetMs, 1, maxWgetMs)
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

// get requests a page and makes a result of the response.
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
		return chat.Result{}, fmt.Errorf("the response of %s breaks off: %w", resp.Request.URL.Redacted(), err)
	}
	if resp.StatusCode < 200 || resp.StatusCode >= 300 { // those that lead elsewhere have been followed
		return statusFailure(resp.StatusCode, f.hide(p.text())), nil
	}
	return chat.Success(f.hide(p.text())), nil
}

// A page is the body of a response, or the beginning of one.
type page struct {
	contentType string
	body        []byte
	size        string // of the whole, in words
	cut         bool
}

// readPage reads the body of a response up to a limit in bytes.
func readPage(resp *http.Response, limit int) (page, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	var large *netguard.BodyError
	if err != nil && !errors.As(err, &large) {
		return page{}, err
	}
	p := page{contentType: resp.Header.Get("Content-Type"), body: body[:min(len(body), limit)]}
	p.cut = large != nil || len(body) > limit
	p.size = fmt.Sprintf("%d bytes", len(p.body))
	switch {
	case p.cut && resp.ContentLength > 0: // the server's word
		p.size = fmt.Sprintf("%d bytes", resp.ContentLength)
	case p.cut: // it came compressed, or in chunks
		p.size = "more than " + p.size
	}
	return p, nil
}

// text returns a page as text, or, where it is none, what it is.
func (p page) text() string {
	media, params, err := mime.ParseMediaType(p.contentType)
	if err != nil {
		media, _, _ = strings.Cut(http.DetectContentType(p.body), ";")
	}
	if !isText(media) {
		return fmt.Sprintf("[%s, %s: not shown, because it is not text]", media, p.size)
	}
	text := readable(params["charset"], p.body)
	if p.cut {
		text += fmt.Sprintf("\n[cut here: %d of %s were read]", len(p.body), p.size)
	}
	return text
}

// readable returns text in a charset as UTF-8. What makes no sense is replaced.
func readable(charset string, body []byte) string {
	text, marked := strings.CutPrefix(string(body), "\ufeff") // which only UTF-8 begins with
	if other, known := decoded(charset, body); known && !marked {
		return other
	}
	if utf8.ValidString(text) {
		return text
	}
	text, replaced := repair(text)
	return text + fmt.Sprintf("\n[%d bytes that are not UTF-8 were replaced by \ufffd; the page's charset: %s]", replaced, cmp.Or(charset, "not given"))
}

// isText reports whether a media type is one that can be read.
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

// repair replaces each byte that is not part of valid UTF-8 and counts them.
func repair(s string) (string, int) {
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
