package policy

import (
	"net/url"
	"testing"
	"time"
)

// A call follows a redirect only if each layer allows the new URL, or asks about it by the rule that was
// approved. If the call could carry private data away, a rule must also name the host without a wildcard.
func TestFollow(t *testing.T) {
	const docs = `{version: 1, tools: {wget: {allow: [{args: {uri: {host: [a.test, b.test]}}}, {args: {uri: {host: ["*.c.test"]}}}], deny: [{args: {uri: {path: [/x/**]}}}]}, file_read: {allow: [{}]}}}`
	for _, c := range []struct {
		to, other string
		carries   bool
		want      bool
	}{
		{"http://a.test/1", docs, false, true},
		{"http://b.test/1", docs, true, true},
		{"http://www.c.test/1", docs, false, true},
		{"http://www.c.test/1", docs, true, false},
		{"http://evil.test/1", docs, false, false},
		{"http://b.test:8080/1", docs, false, false},
		{"http://b.test/x/1", docs, false, false},
		{"http://B.test:80/2#x", `{version: 1, tools: {wget: {allow: [{}], deny: [{args: {uri: {in: ["http://b.test/2"]}}}]}, file_read: {allow: [{}]}}}`, false, false},
		{"http://b.test/2", `{version: 1, tools: {wget: {allow: [{args: {uri: {in: ["http://a.test/1", "http://b.test/2"]}}}]}, file_read: {allow: [{}]}}}`, false, true},
		{"http://b.test/%2e%2e/1", docs, false, false},
		{"http://b.test/1", `{version: 1, tools: {wget: {allow: [{args: {uri: {host: [a.test]}}}]}, file_read: {allow: [{}]}}}`, false, false},
		{"http://a.test/2", `{version: 1, tools: {wget: {ask: [{id: one, args: {uri: {path: [/1]}}}, {id: two}]}, file_read: {allow: [{}]}}}`, false, false},
		{"http://a.test/1", `{version: 1, tools: {wget: {ask: [{id: one, args: {uri: {path: [/1]}}}, {id: two}]}, file_read: {allow: [{}]}}}`, false, true},
	} {
		p := Policy{Layers: []*Layer{layer(t, docs), layer(t, c.other)}}
		s := new(State)
		if c.carries {
			for _, f := range []Facts{of(t, "wget", `{"uri":"http://a.test/"}`), of(t, "file_read", `{"filePaths":["a"]}`)} {
				d := p.Decide(s, f)
				d.Verdict = Allow
				apply(s, f, d, time.Time{})
			}
		}
		d := p.Decide(s, of(t, "wget", `{"uri":"http://a.test/1"}`))
		if d.CheckRedirect == nil {
			t.Fatalf("%+v: %s by %s", c, d.Verdict, d.Rule)
		}
		u, err := url.Parse(c.to)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.CheckRedirect(u); (err == nil) != c.want {
			t.Errorf("%s, carries %v: %v", c.to, c.carries, err)
		}
	}
}
