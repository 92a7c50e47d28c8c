package netguard

import (
	"net/url"
	"strings"
	"testing"
)

func TestCheckURL(t *testing.T) {
	for raw, want := range map[string]string{ // URL to text of the refusal, "" for none
		"http://example.com/":                     "",
		"HTTPS://Example.COM:8443/a?b=c#d":        "",
		"http://xn--bcher-kva.example/":           "",
		"http://under_score.example./ä":           "",
		"http://1.1.1.1:00080/":                   "",
		"http://[2606:4700::1111]:80/":            "",
		"http://3com.com/":                        "",
		"http://1.2.3.4.example/":                 "",
		"":                                        "only http",
		"example.com":                             "only http",
		"//example.com/":                          "only http",
		"file:///etc/passwd":                      "only http",
		"javascript:alert(1)":                     "only http",
		"http:example.com":                        "no //",
		"http://":                                 "no host",
		"http:///path":                            "no host",
		"http://:80/":                             "empty part",
		"http://user@example.com/":                "user name",
		"http://@example.com/":                    "user name",
		"http://example.com:80@127.0.0.1/":        "user name",
		"http://example.com:/":                    "port is empty",
		"http://example.com:0/":                   "port is not",
		"http://example.com:65536/":               "port is not",
		"http://example.com:80a/":                 "not a URL",
		"http://[::1%25lo]/":                      "zone",
		"http://[127.0.0.1]/":                     "not a URL",
		"http://[localhost]/":                     "not a URL",
		"http://::1/":                             "not a URL",
		"http://exa mple.com/":                    "space",
		" http://example.com/":                    "space",
		"http://example.com\\@evil.test/":         "backslash",
		"http://example.com/\r\nX: y":             "space",
		"http://local\u00adhost/":                 "invisible",
		"http://\xff/":                            "invisible",
		"http://ⓛocalhost/":                       "ASCII",
		"http://127。0。0。1/":                       "ASCII",
		"http://example.com%2eevil/":              "not a URL",
		"http://a..b/":                            "empty part",
		"http://-a.example/":                      "hyphen",
		"http://xn--/":                            "hyphen",
		"http://a*b.example/":                     "ASCII",
		"http://" + strings.Repeat("a", 64) + "/": "too long",
		"http://127.1/":                           "looks like an IP",
		"http://127.0.0.1./":                      "looks like an IP",
		"http://0x7f.0.0.1/":                      "looks like an IP",
		"http://2130706433/":                      "looks like an IP",
		"http://foo.0x/":                          "looks like an IP",
		"http://0177.0.0.1/":                      "looks like an IP",
		"http://example.com/" + strings.Repeat("a", MaxURL): "longer than",
	} {
		u, err := CheckURL(raw)
		switch {
		case want != "":
			wantRefused(t, err, want)
		case err != nil || u == nil:
			t.Errorf("%q: %v", raw, err)
		}
	}
}

// Hosts that package net/url refuses today were accepted by earlier versions.
func TestBadHost(t *testing.T) {
	for host, want := range map[string]string{
		"[127.0.0.1]": "do not contain an IPv6 address",
		"[localhost]": "do not contain an IPv6 address",
		"[::1]x":      "do not contain an IPv6 address",
		"::1":         "needs brackets",
		"a:b:80":      "needs brackets",
	} {
		if why := urlProblem(&url.URL{Scheme: "http", Host: host}); !strings.Contains(why, want) {
			t.Errorf("%s: %q, want %q", host, why, want)
		}
	}
}

// The error of a refused URL contains no password, and only the beginning of a long URL.
func TestRefusedURLIsShown(t *testing.T) {
	_, err := CheckURL("http://joe:s3cret@example.com/")
	if err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%v", err)
	}
	if _, err := CheckURL(strings.Repeat("x", 1<<20)); err == nil || len(err.Error()) > 400 {
		t.Errorf("error %.400v", err)
	}
}

func TestParseHostPort(t *testing.T) {
	for in, want := range map[string]HostPort{
		"intranet.example":       {"intranet.example", 0},
		"Intranet.Example.:8080": {"intranet.example", 8080},
		"127.0.0.1:11434":        {"127.0.0.1", 11434},
		"::1":                    {"::1", 0},
		"[0:0::1]:80":            {"::1", 80},
		"::ffff:127.0.0.1":       {"127.0.0.1", 0},
	} {
		got, err := ParseHostPort(in)
		if err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", in, got, err, want)
		}
		if again, err := ParseHostPort(got.String()); err != nil || again != got {
			t.Errorf("%q: %q is read as %v, %v", in, got, again, err)
		}
	}
	for _, in := range []string{"", ":80", "a b", "http://x", "x/y", "x:", "x:http", "x:0", "x:99999", "u@x", "127.1", "fe80::1%lo", "[::1", "x?y", "x#y", "*.example"} {
		if got, err := ParseHostPort(in); err == nil {
			t.Errorf("%q was read as %v", in, got)
		}
	}
}

func FuzzCheckURL(f *testing.F) {
	for _, s := range []string{"http://example.com:80/a?b#c", "http://[::1]:80/", "http://127.0.0.1./", "http://a@b/", "http://0x7f.1/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := CheckURL(raw)
		if err != nil {
			return
		}
		again, err := url.Parse(u.String())
		if err != nil || urlProblem(again) != "" || HostOf(again) != HostOf(u) {
			t.Errorf("%q is passed on as %q: %v", raw, u, err)
		}
		if _, err := parseDialAddress(HostOf(u).Host + ":80"); err != nil && !strings.Contains(u.Host, "[") {
			t.Errorf("%q: %v", raw, err)
		}
	})
}
