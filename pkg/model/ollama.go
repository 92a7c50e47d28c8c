package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/wire"
)

// An OllamaConfig says how to talk to an Ollama server. Only Model has to be
// set, and that only for [Ollama.Reply] and [Ollama.Show].
type OllamaConfig struct {
	BaseURL   *url.URL       // nil: http://127.0.0.1:11434
	Model     string         // its name on the server
	FirstByte time.Duration  // until the first byte of a response, loading the model included; 0: 5 min
	Idle      time.Duration  // between the bytes of a response; 0: 60 s
	Attempts  int            // at most, for one request; 0: 3
	MaxBytes  int64          // of one response; 0: 64 MiB
	Proxy     *url.URL       // nil: none, whatever the environment says
	Rand      func() float64 // in [0, 1), for the pauses between attempts; nil: unseeded
	// Dial opens connections, as [net.Dialer.DialContext] does; nil: that.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// An Ollama is a client of an Ollama server. It is safe for concurrent use if
// the functions of its configuration are. It holds no resources between calls.
type Ollama struct {
	base      *url.URL
	model     string
	firstByte time.Duration
	idle      time.Duration
	maxBytes  int64
	persist   persistence
	client    *http.Client
}

// The defaults of an OllamaConfig.
const (
	defaultFirstByte = 5 * time.Minute
	defaultIdle      = time.Minute
	defaultMaxBytes  = 64 << 20
)

// NewOllama returns a client. It makes no connection.
func NewOllama(c OllamaConfig) *Ollama {
	o := &Ollama{
		base:      c.BaseURL,
		model:     c.Model,
		firstByte: positive(c.FirstByte, defaultFirstByte),
		idle:      positive(c.Idle, defaultIdle),
		maxBytes:  positive(c.MaxBytes, defaultMaxBytes),
		persist:   newPersistence(c.Attempts, c.Rand),
		client:    newClient(c.Dial, c.Proxy),
	}
	if o.base == nil {
		o.base = &url.URL{Scheme: "http", Host: "127.0.0.1:11434"}
	}
	return o
}

// positive returns n, or the default if n is not set.
func positive[T ~int64](n, byDefault T) T {
	if n > 0 {
		return n
	}
	return byDefault
}

// Reply asks the model. The deltas add up to the response. When there is an
// error, the response holds what had arrived by then.
//
// The error is the cause of ctx's end, or a *[UnavailableError], *[AuthError],
// *[UnknownModelError], *[OverflowError], *[FormatError], *[TimeoutError],
// *[CutError] or *[StatusError], or says what cannot be sent.
func (o *Ollama) Reply(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	body, err := o.encode(req)
	if err != nil {
		return chat.Response{}, err
	}
	return o.persist.reply(ctx, delta, func(ctx context.Context, emit func(chat.Delta)) (chat.Response, error) {
		return o.once(ctx, body, emit)
	})
}

// once makes one request.
func (o *Ollama) once(ctx context.Context, body []byte, emit func(chat.Delta)) (chat.Response, error) {
	ctx, dog := watch(ctx, o.firstByte, o.idle)
	defer dog.stop()
	resp, err := o.post(ctx, body)
	if err != nil {
		return chat.Response{}, o.failure(ctx, err)
	}
	defer resp.Body.Close()
	in := watchedReader{resp.Body, dog}
	if resp.StatusCode != http.StatusOK {
		return chat.Response{}, refusal(resp, in, o.model)
	}
	d := wire.NewOllama(o.maxBytes)
	err = pour(d, in, emit)
	response, fault := d.Close()
	switch {
	case fault == nil:
		return response, nil // whole, whatever happened to the connection then
	case ctx.Err() != nil:
		return response, context.Cause(ctx)
	case err != nil:
		return response, &CutError{Err: err}
	}
	return response, &CutError{Err: fault}
}

// post sends a request for a chat.
func (o *Ollama) post(ctx context.Context, body []byte) (*http.Response, error) {
	to := o.base.JoinPath("api", "chat").String()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/x-ndjson")
	req.Header.Set("User-Agent", "oneshot")
	return o.client.Do(req)
}

// pour writes a body into its decoder, up to the end of the response or of the
// body, whichever is first.
func pour(d *wire.Ollama, in watchedReader, emit func(chat.Delta)) error {
	buf := make([]byte, 32<<10)
	for !d.Done() {
		n, err := in.Read(buf)
		if fault := d.Write(buf[:n], emit); fault != nil {
			return fault
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// failure returns the error of a request that got no answer: the reason of the
// context if that has ended, the connection's fault if another attempt may
// help, and otherwise an *[UnavailableError].
func (o *Ollama) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var wrapped *url.Error // it adds the method and the whole address
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	err = fmt.Errorf("model server %s: %w", o.base.Host, err)
	if isConnectionFault(err) {
		return err
	}
	return &UnavailableError{Attempts: 1, Err: err}
}
