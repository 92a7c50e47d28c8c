package netguard

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// An ssrfCase is a line of ssrf_cases.jsonl.
type ssrfCase struct {
	ID, Kind, Expect, URL string
	DNS                   map[string][]string
	Sequence              map[string][]string `json:"dns_sequence"`
	Requests              []string
	ExpectEach            []string `json:"expect_each"`
	Chain                 []string
	Policy                struct {
		AllowHosts []string `json:"allow_hosts"`
	}
}

// elsewhere maps the kinds of cases that are tested elsewhere to their tests.
var elsewhere = map[string]string{
	"args":     "pkg/tool TestRequestCases",
	"template": "pkg/tool TestRequestCases",
	"header":   "TestHeadersOnRedirects, TestRealmIsNotAsked",
}

// elsewhereID maps single cases that are tested elsewhere to their tests.
var elsewhereID = map[string]string{
	"rebind-toctou":        "TestRebinding: a name is looked up once",
	"cfg-shared-transport": "TestConnectionsAreNotShared, pkg/provider TestClientsAreApart",
	"cfg-dial-tls":         "TestLayersNetwork",
}

func TestSSRFCases(t *testing.T) {
	dir := os.Getenv("ONESHOT_SHARED")
	if dir == "" {
		t.Skip("ONESHOT_SHARED is not set")
	}
	f, err := os.Open(filepath.Join(dir, "cases", "ssrf_cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ran := 0
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var c ssrfCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID, func(t *testing.T) {
			if why := elsewhere[c.Kind] + elsewhereID[c.ID]; why != "" {
				t.Skip(why)
			}
			ran++
			c.run(t)
		})
	}
	if err := lines.Err(); err != nil || ran < 100 {
		t.Errorf("%d cases were run, %v", ran, err)
	}
}

func (c ssrfCase) run(t *testing.T) {
	in := newInternet(t)
	in.names["ok.test"], in.names["ok2.test"], in.names["other-public.test"] = []string{"93.184.215.14"}, []string{"93.184.215.15"}, []string{"93.184.215.16"}
	in.names["localhost"] = []string{"127.0.0.1", "::1"}
	for name, addresses := range c.DNS {
		in.names[name] = addresses
	}
	for name, addresses := range c.Sequence {
		in.sequence[name] = addresses
	}
	switch c.Kind {
	case "redirect":
		c.redirect(t, in)
	case "rebind":
		for i, raw := range c.Requests {
			c.want(t, c.request(t, in, raw), c.ExpectEach[i])
		}
	default:
		c.want(t, c.request(t, in, c.URL), c.Expect)
	}
	for _, address := range in.dialled {
		if _, bad := nonPublicBlock(netip.MustParseAddr(address)); bad {
			t.Errorf("%s was connected to", address)
		}
	}
}

// request checks a URL and gets it over a new connection, as a tool does.
func (c ssrfCase) request(t *testing.T, in *internet, raw string) error {
	t.Helper()
	u, err := CheckURL(raw)
	if err != nil {
		return err
	}
	_, err = get(t, in.client(t, Options{}), u.String())
	return err
}

func (c ssrfCase) redirect(t *testing.T, in *internet) {
	in.handle = func(n int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close") // forces a name lookup for each hop
		code, location, redirected := strings.Cut(c.hop(n), " ")
		if !redirected {
			return
		}
		status, err := strconv.Atoi(code)
		if err != nil {
			t.Errorf("hop %q", c.hop(n))
		}
		w.Header().Set("Location", location)
		w.WriteHeader(status)
	}
	method, raw, ok := strings.Cut(c.Chain[0], " ")
	if !ok {
		method, raw = http.MethodGet, c.Chain[0]
	}
	req, err := http.NewRequestWithContext(t.Context(), method, raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = do(in.client(t, Options{}), req.WithContext(WithRedirectCheck(req.Context(), c.follow)))
	c.want(t, err, c.Expect)
}

// hop returns the response to the n-th request; with "..." in the chain, the first redirect
// is repeated endlessly.
func (c ssrfCase) hop(n int) string {
	switch {
	case slices.Contains(c.Chain, "..."):
		return c.Chain[1]
	case n < len(c.Chain):
		return c.Chain[n]
	}
	return "200"
}

// follow allows redirects to the allowed hosts of a case.
func (c ssrfCase) follow(u *url.URL) error {
	if len(c.Policy.AllowHosts) > 0 && !slices.Contains(c.Policy.AllowHosts, u.Hostname()) {
		return errors.New("not on the list")
	}
	return nil
}

func (c ssrfCase) want(t *testing.T, err error, expect string) {
	t.Helper()
	if (err == nil) != (expect == "allow") {
		t.Errorf("%v, want %s", err, expect)
	}
}
