package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"

	"oneshot/pkg/chat"
	"oneshot/pkg/netguard"
	"oneshot/pkg/provider/wire"
)

// exchange sends a request and reads the response.
func (c *Client) exchange(ctx context.Context, out *composedRequest, emit func(chat.Delta)) (chat.Response, error) {
	ctx, dog := newWatchdog(ctx, c.firstByte, c.idle)
	defer dog.stop()
	ctx, isConnected := netguard.TrackConnected(ctx)
	req, err := c.newRequest(ctx, out.protocol, http.MethodPost, out.protocol.Path, out.body)
	if err != nil {
		return chat.Response{}, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return chat.Response{Unsent: !isConnected()}, c.requestError(ctx, err)
	}
	defer resp.Body.Close()
	in := watchedReader{resp.Body, dog}
	if resp.StatusCode != http.StatusOK {
		return chat.Response{}, c.statusError(out, resp, in)
	}
	if err := checkEncoding(resp); err != nil {
		return chat.Response{}, err
	}
	d := out.protocol.NewDecoder(c.maxBytes)
	limits := c.limits
	if out.maxCalls > 0 {
		limits.Calls = min(limits.Calls, out.maxCalls)
	}
	d.SetLimits(limits)
	err = decodeBody(d, in, emit)
	response, fault := d.Close()
	switch {
	case fault == nil:
		return response, nil // complete, even if the connection failed afterwards
	case ctx.Err() != nil:
		return response, context.Cause(ctx)
	case err != nil:
		return response, &BrokenOffError{Err: err}
	}
	return response, &BrokenOffError{Err: fault}
}

// decodeBody writes a body to its decoder until the end of the response or of the body. In an event stream only
// bytes of events count as progress, not keep-alive lines; in other bodies all bytes except whitespace. Whole events
// before the output of the model do not shorten the wait for it.
func decodeBody(d *wire.Decoder, in watchedReader, emit func(chat.Delta)) error {
	buf := make([]byte, 32<<10)
	for !d.Done() {
		n, err := in.dog.read(in.body, buf)
		seen := d.MessageCount()
		if fault := d.Write(buf[:n], emit); fault != nil {
			return fault
		}
		isProgress := d.MessageCount() > seen || d.IsJSONBody() && len(bytes.TrimSpace(buf[:n])) > 0
		switch {
		case d.HasOpenMessage(), d.HasOutput() && isProgress:
			in.dog.resetLimit()
		case isProgress:
			in.dog.extendLimit()
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

// An exchangeError is the error of a request, with the server.
type exchangeError struct {
	host string
	err  error
}

// Error omits the address of a failed dial if it repeats the host. That of a proxy, or of a host with a name, is another.
func (e *exchangeError) Error() string {
	cause := e.err
	var op *net.OpError
	var call *os.SyscallError
	if errors.As(cause, &op) && op.Op == "dial" && op.Addr != nil && op.Addr.String() == e.host {
		cause = op.Err
		if errors.As(cause, &call) {
			cause = call.Err
		}
	}
	return fmt.Sprintf("model server %s: %v", e.host, cause)
}

// Unwrap returns the cause.
func (e *exchangeError) Unwrap() error { return e.err }

// requestError returns the error of a request without a response: the cause of an ended context, a connection error if a
// retry may help, a *[ProtocolError] if another protocol answered, otherwise an *[UnavailableError].
func (c *Client) requestError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var wrapped *url.Error // it repeats the method and the whole URL
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	err = &exchangeError{c.base.Host, err}
	switch {
	case isProtocolFault(err):
		return &ProtocolError{err}
	case IsConnectionFault(err):
		return err
	}
	return &UnavailableError{Attempts: 1, Err: err}
}
