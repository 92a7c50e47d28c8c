package netguard

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A requestCase is a line of testdata/net/requests.jsonl: consecutive requests of one client, each over
// its own connection, and the reason why the last one is refused.
type requestCase struct {
	ID       string
	URL      string
	URLs     []string            // of the requests; URL, if set, is the last one
	DNS      map[string][]string // addresses by name
	Sequence map[string][]string // one address per lookup, by name
	Allow    []string            // hosts that may be private
	Hops     []string            // the responses in order: a status and a location; then 200
	Why      string              // text of the error; "" for none
}

func TestRequests(t *testing.T) {
	src, err := os.ReadFile("../../testdata/net/requests.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	lines := bufio.NewScanner(bytes.NewReader(src))
	for ; lines.Scan(); ran++ {
		var c requestCase
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.DisallowUnknownFields()
		if err := d.Decode(&c); err != nil {
			t.Fatalf("line %d: %v", ran+1, err)
		}
		t.Run(c.ID, c.run)
	}
	if ran < 80 {
		t.Errorf("%d cases", ran)
	}
}

func (c requestCase) run(t *testing.T) {
	in := newInternet(t)
	for _, text := range c.Allow {
		h, err := ParseHostPort(text)
		if err != nil {
			t.Fatal(err)
		}
		in.guard.allowed = append(in.guard.allowed, h)
	}
	for name, addresses := range c.DNS {
		in.names[name] = addresses
	}
	for name, addresses := range c.Sequence {
		in.sequence[name] = addresses
	}
	in.handle = func(n int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		if n > len(c.Hops) {
			return
		}
		code, location, _ := strings.Cut(c.Hops[n-1], " ")
		status, err := strconv.Atoi(code)
		if err != nil {
			t.Errorf("hop %q", c.Hops[n-1])
		}
		w.Header().Set("Location", location)
		w.WriteHeader(status)
	}
	client := in.client(t, Options{})
	urls := slices.Concat(c.URLs, []string{c.URL})
	if c.URL == "" {
		urls = c.URLs
	}
	for i, raw := range urls {
		u, err := CheckURL(raw)
		if err == nil {
			_, err = get(t, client, u.String())
		}
		why := c.Why
		if i < len(urls)-1 {
			why = ""
		}
		if (err == nil) != (why == "") || err != nil && !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", raw, err, why)
		}
	}
}

// The client sends no request to the token server that a WWW-Authenticate header names.
func TestRealmIsNotAsked(t *testing.T) {
	in := newInternet(t)
	in.names["other.test"] = []string{"203.0.115.8"}
	in.handle = func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="http://other.test/token",service="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://203.0.115.7/", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer CANARY")
	if _, err := do(in.client(t, Options{}), req); err != nil || len(in.requests) != 1 || !slices.Equal(in.dialled, []string{"203.0.115.7"}) {
		t.Errorf("%v after %d requests to %q", err, len(in.requests), in.dialled)
	}
}
