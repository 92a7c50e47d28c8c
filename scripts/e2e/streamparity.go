//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
)

const maxBody = 1 << 20

// checkStreamParity sends the request that a dry run printed twice, once for a stream and
// once for a whole body, and checks that each response has that many calls, and the same
// ones.
func checkStreamParity(api string, calls int) check {
	return func(t *Trial, o Outcome) error {
		var request struct {
			URL  string
			Body map[string]any
		}
		if err := json.Unmarshal([]byte(o.Stdout), &request); err != nil {
			return err
		}
		var said []chat.Response
		for _, stream := range []bool{true, false} {
			body := maps.Clone(request.Body)
			body["stream"] = stream
			if !stream {
				delete(body, "stream_options")
			}
			response, err := t.decode(provider.ProtocolOf(api).NewDecoder(maxBody), request.URL, body)
			if err != nil {
				return fmt.Errorf("stream %v: %w", stream, err)
			}
			said = append(said, response)
		}
		return compareResponses(said[0], said[1], calls)
	}
}

// decode makes a request and reads the response.
func (t *Trial) decode(d *wire.Decoder, url string, body map[string]any) (chat.Response, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return chat.Response{}, err
	}
	req, err := http.NewRequestWithContext(t.Context, http.MethodPost, url, bytes.NewReader(raw))
	if err != nil {
		return chat.Response{}, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return chat.Response{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return chat.Response{}, err
	}
	if res.StatusCode != http.StatusOK {
		return chat.Response{}, fmt.Errorf("%s: %s", res.Status, text)
	}
	if err := d.Write(text, nil); err != nil {
		return chat.Response{}, err
	}
	return d.Close()
}

// compareResponses compares two responses. The server randomizes IDs and the order of
// arguments.
func compareResponses(a, b chat.Response, calls int) error {
	if len(a.Calls) != calls || len(b.Calls) != calls {
		return fmt.Errorf("%d and %d calls, want %d", len(a.Calls), len(b.Calls), calls)
	}
	if a.Content != b.Content || a.Stop != b.Stop || a.Usage.OutputTokens != b.Usage.OutputTokens {
		return fmt.Errorf("streamed %q, %s, %+v, whole %q, %s, %+v", a.Content, a.Stop, a.Usage, b.Content, b.Stop, b.Usage)
	}
	for i, call := range a.Calls {
		var x, y any
		other := b.Calls[i]
		if err := errors.Join(json.Unmarshal(call.Arguments, &x), json.Unmarshal(other.Arguments, &y)); err != nil {
			return err
		}
		if call.Name != other.Name || !reflect.DeepEqual(x, y) || call.ID == "" || other.ID == "" {
			return fmt.Errorf("streamed %s %s %s, whole %s %s %s", call.ID, call.Name, call.Arguments, other.ID, other.Name, other.Arguments)
		}
	}
	return nil
}
