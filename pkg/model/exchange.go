package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"oneshot/pkg/chat"
	"oneshot/pkg/wire"
)

// exchange sends a request and reads what comes back.
func (c *Client) exchange(ctx context.Context, out *outgoing, emit func(chat.Delta)) (chat.Response, error) {
	ctx, dog := watch(ctx, c.firstByte, c.idle)
	defer dog.stop()
	req, err := c.newRequest(ctx, out.api, http.MethodPost, out.api.path, out.body)
	if err != nil {
		return chat.Response{}, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return chat.Response{}, c.failure(ctx, err)
	}
	defer resp.Body.Close()
	in := watchedReader{resp.Body, dog}
	if resp.StatusCode != http.StatusOK {
		return chat.Response{}, c.refusal(out, resp, in)
	}
	if err := packed(resp); err != nil {
		return chat.Response{}, err
	}
	d := out.api.decode(c.maxBytes)
	limits := c.limits
	if out.mostCalls > 0 {
		limits.Calls = min(limits.Calls, out.mostCalls)
	}
	d.Limit(limits)
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

// pour writes a body into its decoder, up to the end of the response or of the
// body, whichever is first. A body of events goes on with the bytes of an event; a
// line that only keeps the connection open is silence. Any other body goes on
// with every byte but blanks, which keep a connection open, too.
func pour(d wire.Decoder, in watchedReader, emit func(chat.Delta)) error {
	buf := make([]byte, 32<<10)
	var form bodyForm
	for !d.Done() {
		n, err := in.dog.read(in.body, buf)
		form.look(buf[:n])
		seen := d.Messages()
		if fault := d.Write(buf[:n], emit); fault != nil {
			return fault
		}
		if form == plainBody && !blank(buf[:n]) || d.Messages() > seen || d.Open() {
			in.dog.progress()
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

// blanks are what may stand between JSON values.
const blanks = " \t\r\n"

// blank reports whether there is nothing in p but blanks.
func blank(p []byte) bool { return len(bytes.TrimLeft(p, blanks)) == 0 }

// A bodyForm says what a body is made of, as its first byte shows.
type bodyForm int

const (
	blankBody bodyForm = iota // nothing has come yet
	plainBody                 // JSON
	eventBody                 // events and comments
)

// look looks at the next bytes.
func (f *bodyForm) look(p []byte) {
	if *f != blankBody || blank(p) {
		return
	}
	switch bytes.TrimLeft(p, blanks)[0] {
	case '{', '[':
		*f = plainBody
	default:
		*f = eventBody
	}
}

// failure returns the error of a request that got no answer: the reason of the
// context if that has ended, the connection's fault if another attempt may
// help, a *[ProtocolError] if something else answers there, and otherwise an *[UnavailableError].
func (c *Client) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var wrapped *url.Error // it adds the method and the whole address
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	err = fmt.Errorf("model server %s: %w", c.base.Host, err)
	switch {
	case isProtocolFault(err):
		return &ProtocolError{err}
	case isConnectionFault(err):
		return err
	}
	return &UnavailableError{Attempts: 1, Err: err}
}
