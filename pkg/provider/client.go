package provider

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider/wire"
)

// A Config configures a client. Only Model is required, and only for [Client.Reply], [Client.Compose] and
// [Client.Show]; the default server is an Ollama on this machine.
type Config struct {
	Provider Preset         // zero for an unknown server
	Protocol *wire.Protocol // nil: the provider's, else Ollama's; one with an API
	BaseURL  *url.URL       // nil: the provider's; the host must be ASCII
	Name     string         // name of the model in messages and provider state; "": the provider's name, if any, and Model
	Model    string         // model name on the server
	Header   http.Header    // sent with every request, including credentials
	// Defaults are parameters of every request that does not set them.
	Defaults map[string]json.RawMessage

	FirstByte time.Duration // until the first output of a response, including model loading; 0: 5 min
	Idle      time.Duration // maximum pause within a response; 0: 60 s
	Attempts  int           // maximum per request; 0: 3
	MaxBytes  int64         // per response; 0: 64 MiB
	// Limits limit one response. Defaults: 10,000 calls, 4 MiB of arguments per call, 16 MiB of text.
	Limits wire.Limits
	// Sanitize makes a text of another model safe for this one: without secrets of that model's server, and without
	// control tokens; nil: messages of other models are an error.
	Sanitize func(text string) string
	Proxy    *url.URL       // nil: none; the environment is ignored
	RootCAs  *x509.CertPool // nil: the system's
	Rand     func() float64 // returns values in [0, 1) for backoff; nil: random
	// Dial opens connections; nil: [net.Dialer.DialContext].
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// The defaults of a Config.
const (
	defaultFirstByte = 5 * time.Minute
	defaultIdle      = time.Minute
	defaultMaxBytes  = 64 << 20

	defaultMaxCalls     = 10_000
	defaultMaxArguments = 4 << 20
	defaultMaxText      = 16 << 20
)

// A Client is a client of one model on one server. It is safe for concurrent use if the functions of its
// configuration are. It holds no resources between calls.
type Client struct {
	protocol  atomic.Pointer[wire.Protocol]
	base      *url.URL
	name      string
	model     string
	header    http.Header
	facts     Facts
	defaults  map[string]json.RawMessage
	firstByte time.Duration
	idle      time.Duration
	maxBytes  int64
	limits    wire.Limits
	sanitize  func(string) string
	retries   retryPolicy
	sent      wire.Transcripts
	http      *http.Client
}

// New returns a client without making a connection.
func New(c Config) *Client {
	m := &Client{
		base:      c.BaseURL,
		name:      c.Name,
		model:     c.Model,
		header:    make(http.Header),
		facts:     c.Provider.Facts,
		defaults:  maps.Clone(c.Defaults),
		firstByte: orDefault(c.FirstByte, defaultFirstByte),
		idle:      orDefault(c.Idle, defaultIdle),
		maxBytes:  orDefault(c.MaxBytes, defaultMaxBytes),
		limits: wire.Limits{
			Calls:     orDefault(c.Limits.Calls, defaultMaxCalls),
			Arguments: orDefault(c.Limits.Arguments, defaultMaxArguments),
			Text:      orDefault(c.Limits.Text, defaultMaxText),
		},
		sanitize: c.Sanitize,
		retries:  newRetryPolicy(c.Attempts, c.Rand),
	}
	if m.name == "" {
		m.name = strings.TrimPrefix(c.Provider.Name+"/"+c.Model, "/")
	}
	preset := c.Provider
	if preset.Protocol == nil {
		preset, _ = PresetNamed("ollama")
	}
	if m.base == nil {
		m.base, _ = url.Parse(preset.BaseURL)
	}
	m.http = newHTTPClient(c, m.base)
	p := cmp.Or(c.Protocol, preset.Protocol)
	m.facts.AnyName = m.facts.AnyName || p.AnyToolName
	m.facts.KeepsConstraints = m.facts.KeepsConstraints && !p.DropsConstraints
	for name, values := range c.Header {
		m.header[http.CanonicalHeaderKey(name)] = values
	}
	m.protocol.Store(p)
	return m
}

// orDefault returns n, or the default if n is not positive.
func orDefault[T ~int | ~int64](n, byDefault T) T {
	if n > 0 {
		return n
	}
	return byDefault
}

// Name returns the name of the model, as PROVIDER/NAME.
func (c *Client) Name() string { return c.name }

// Protocol returns the protocol of the next request. It may change once, to its successor, if the server requires it.
func (c *Client) Protocol() *wire.Protocol { return c.protocol.Load() }

// Reply sends a request to the model. The deltas add up to the response. On an error, the response holds the parts that
// arrived before it. Messages must not change after they were sent: their encoding is reused.
//
// The error is the cause of ctx's end, or a *[UnavailableError], *[AuthError], *[UnknownModelError], *[OverflowError],
// *[FormatError], *[NoToolsError], *[TimeoutError], *[BrokenOffError], *[ProtocolError] or *[StatusError]; or it is
// about a part that cannot be sent, such as *[wire.ParameterError], *[AttachmentError] and *[NameCollisionError].
func (c *Client) Reply(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	return c.retries.reply(ctx, delta, func(ctx context.Context, emit func(chat.Delta)) (chat.Response, error) {
		return c.attemptOnce(ctx, req, emit)
	})
}

// attemptOnce makes one request. It converts tool names in the response to those of the definitions.
func (c *Client) attemptOnce(ctx context.Context, req chat.Request, emit func(chat.Delta)) (chat.Response, error) {
	out, err := c.compose(req)
	if err != nil {
		return chat.Response{}, err
	}
	heard := false
	resp, err := c.exchange(ctx, out, func(d chat.Delta) {
		heard = true
		if d.Call != nil {
			call := *d.Call
			call.Name = out.names.fromWire(call.Name)
			d.Call = &call
		}
		emit(d)
	})
	for i := range resp.Calls {
		resp.Calls[i].Name = out.names.fromWire(resp.Calls[i].Name)
	}
	resp.By = c.name
	if resp.Native != nil {
		resp.Native.Model = c.name
	}
	if err != nil && !heard {
		err = c.switchProtocol(out, c.classifyInBandError(out, err))
	}
	return resp, err
}

// switchProtocol switches the client to the protocol that its server requires, if possible, and marks the error. This
// happens at most once.
func (c *Client) switchProtocol(out *composedRequest, err error) error {
	var status *StatusError
	next := ProtocolOf(out.protocol.Successor)
	if !errors.As(err, &status) || !status.needsResponsesAPI() || next == nil || !c.facts.OffersSuccessor {
		return err
	}
	c.protocol.CompareAndSwap(out.protocol, next)
	return &switchedProtocolError{err}
}
