package agent

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestLinks(t *testing.T) {
	for text, want := range map[string][]string{
		"see https://go.dev/doc, and http://a.test.":             {"https://go.dev/doc", "http://a.test"},
		"![x](https://evil.test/?d=abc) ![y](//evil.test/p.png)": {"https://evil.test/?d=abc", "//evil.test/p.png"},
		`<img src="//evil.test/a"><a href='ftp://b.test'>`:       {"//evil.test/a", "ftp://b.test"},
		"[a](https://x.test/a),[b](https://y.test/(b)_c)":        {"https://x.test/a", "https://y.test/(b)_c"},
		"x // a comment, //fmt.Println(1) and a//b":              nil,
		"https:// and ://x and //":                               {"://x"},
		"https://user:word@Evil.TEST:8443/x":                     {"https://user:word@Evil.TEST:8443/x"},
		"go to javascript://evil.test/%0aalert(1)":               {"javascript://evil.test/%0aalert(1)"},
		"\"https://a.test/\u200b\nhttps://b.test/é":              {"https://a.test/\u200b", "https://b.test/é"},
	} {
		if got := slices.Collect(findLinks(text)); cmp.Diff(want, got) != "" {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestHostOf(t *testing.T) {
	for link, want := range map[string]string{
		"https://Go.dev./doc":          "go.dev",
		"https://go.dev@evil.test:80/": "evil.test",
		`https://evil.test\@go.dev`:    "evil.test",
		"//evil.test?go.dev":           "evil.test",
		"https://[::1]:80/":            "[::1]:80",
		"https:///":                    "",
	} {
		if got := hostOf(link); got != want {
			t.Errorf("%s: %q, want %q", link, got, want)
		}
	}
}

func TestMentionsHost(t *testing.T) {
	for text, want := range map[string]bool{
		"go.dev": true, "look at go.dev.": true, "https://go.dev/x": true, "(go.dev)": true, "go.devious.test go.dev": true,
		"": false, "ergo.dev": false, "not-go.dev": false, "www.go.dev": false, "go.dev.evil.test": false, "go.dev-x": false,
	} {
		if got := mentionsHost(text, "go.dev"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Every URL is a part of its text, has a host and is found again alone, in linear time.
func TestLinksAny(t *testing.T) {
	pieces := []string{"https://", "//", "a.test", "/", "(", ")", "\"", " ", ":", "?x=", "é", ".", "@", "x"}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(rt, "pieces"), "")
		for link := range findLinks(text) {
			if !strings.Contains(text, link) || hostOf(link) == "" {
				rt.Errorf("%q: %q", text, link)
			}
		}
	})
	for _, text := range []string{strings.Repeat("/", 1<<20), strings.Repeat("a://", 1<<18), strings.Repeat("a", 1<<20) + "://x", strings.Repeat("//x(", 1<<18)} {
		for range findLinks(text) {
			continue
		}
	}
}
