package model

import (
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
	"oneshot/pkg/wire"
)

// A Config says how to talk to a model server. Only Model has to be set, and
// that only for [Client.Reply], [Client.Compose] and [Client.Show]; without
// more, the server is an Ollama on this machine.
type Config struct {
	Provider Provider    // what is preset; the zero value for a server of which nothing is known
	API      API         // "": that of the provider, else Ollama
	BaseURL  *url.URL    // nil: that of the provider; its host is in ASCII
	Name     string      // who answers, in messages and echoes; "": the provider's name, if it has one, and Model
	Model    string      // its name on the server
	Header   http.Header // of every request, with the credentials
	// Defaults are parameters that every request has unless it says otherwise.
	Defaults map[string]json.RawMessage

	FirstByte time.Duration // until a response begins, loading the model included; 0: 5 min
	Idle      time.Duration // that a response may pause; 0: 60 s
	Attempts  int           // at most, for one request; 0: 3
	MaxBytes  int64         // of one response; 0: 64 MiB
	// Limits bound what one response may hold. Zero fields: 10,000 calls, 4 MiB of arguments for each, 16 MiB of text.
	Limits wire.Limits
	// Mask hides secrets in what another model has said; nil hides none.
	Mask    func(text string) string
	Proxy   *url.URL       // nil: none, whatever the environment says
	RootCAs *x509.CertPool // nil: those of the system
	Rand    func() float64 // in [0, 1), for the pauses between attempts; nil: unseeded
	// Dial opens connections, as [net.Dialer.DialContext] does; nil: that.
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

// A Client is a client of one model on one server. It is safe for concurrent
// use if the functions of its configuration are. It holds no resources between
// calls.
type Client struct {
	api       atomic.Pointer[protocol]
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
	mask      func(string) string
	persist   persistence
	sent      transcripts
	http      *http.Client
}

// New returns a client. It makes no connection. An API that does not exist is
// an error of the first request.
func New(c Config) *Client {
	m := &Client{
		base:      c.BaseURL,
		name:      c.Name,
		model:     c.Model,
		header:    make(http.Header),
		facts:     c.Provider.Facts,
		defaults:  maps.Clone(c.Defaults),
		firstByte: positive(c.FirstByte, defaultFirstByte),
		idle:      positive(c.Idle, defaultIdle),
		maxBytes:  positive(c.MaxBytes, defaultMaxBytes),
		limits: wire.Limits{
			Calls:     positive(c.Limits.Calls, defaultMaxCalls),
			Arguments: positive(c.Limits.Arguments, defaultMaxArguments),
			Text:      positive(c.Limits.Text, defaultMaxText),
		},
		mask:    c.Mask,
		persist: newPersistence(c.Attempts, c.Rand),
	}
	if m.name == "" {
		m.name = strings.TrimPrefix(c.Provider.Name+"/"+c.Model, "/")
	}
	preset := c.Provider
	if preset.API == "" {
		preset, _ = ProviderNamed("ollama")
	}
	if m.base == nil {
		m.base, _ = url.Parse(preset.BaseURL)
	}
	m.http = newHTTPClient(c, m.base)
	if c.API == "" {
		c.API = preset.API
	}
	if c.API == Ollama {
		m.facts.AnyName, m.facts.KeepsConstraints = true, false
	}
	for name, values := range c.Header {
		m.header[http.CanonicalHeaderKey(name)] = values
	}
	m.api.Store(protocolOf(c.API))
	return m
}

// positive returns n, or the default if n is not set.
func positive[T ~int | ~int64](n, byDefault T) T {
	if n > 0 {
		return n
	}
	return byDefault
}

// Name returns who answers, as PROVIDER/NAME.
func (c *Client) Name() string { return c.name }

// API returns the protocol of the next request. It can change once, from [Chat]
// to [Responses], when the server says that it has to.
func (c *Client) API() API {
	if p := c.api.Load(); p != nil {
		return p.api
	}
	return ""
}

// Reply asks the model. The deltas add up to the response. When there is an
// error, the response holds what had arrived by then. Messages that were in a request
// must not change: the next one may send what was made of them.
//
// The error is the cause of ctx's end, or a *[UnavailableError], *[AuthError],
// *[UnknownModelError], *[OverflowError], *[FormatError], *[NoToolsError],
// *[TimeoutError], *[CutError], *[ProtocolError] or *[StatusError]; or it says what cannot be
// sent, as *[ParameterError] and *[NameCollisionError] do.
func (c *Client) Reply(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	return c.persist.reply(ctx, delta, func(ctx context.Context, emit func(chat.Delta)) (chat.Response, error) {
		return c.once(ctx, req, emit)
	})
}

// once makes one request. Names and identity in the response are those of this
// side.
func (c *Client) once(ctx context.Context, req chat.Request, emit func(chat.Delta)) (chat.Response, error) {
	out, err := c.compose(req)
	if err != nil {
		return chat.Response{}, err
	}
	heard := false
	resp, err := c.exchange(ctx, out, func(d chat.Delta) {
		heard = true
		if d.Call != nil {
			call := *d.Call
			call.Name = out.names.own(call.Name)
			d.Call = &call
		}
		emit(d)
	})
	for i := range resp.Calls {
		resp.Calls[i].Name = out.names.own(resp.Calls[i].Name)
	}
	resp.By = c.name
	if resp.Native != nil {
		resp.Native.Model = c.name
	}
	if err != nil && !heard {
		err = c.moved(out, c.reported(out, err))
	}
	return resp, err
}

// moved turns the client to the API that its server wants, if that is possible,
// and says so. It happens once at most: there is no way back.
func (c *Client) moved(out *outgoing, err error) error {
	var status *StatusError
	if !errors.As(err, &status) || !status.wantsResponses() || out.api.api != Chat || !c.facts.OffersResponses {
		return err
	}
	c.api.CompareAndSwap(out.api, protocolOf(Responses))
	return &movedError{err}
}
