package policy

import (
	"errors"
	"strings"
	"testing"
)

// In any form of rule, a denial covers every spelling of a path, a host or a word, and a permission
// covers only the values that it names.
func TestSpellings(t *testing.T) {
	leads := func(path string) (string, error) {
		switch path {
		case "out/link":
			return "keys/a", nil
		case "away":
			return "", errors.New("it leads out")
		}
		return path, nil
	}
	for _, c := range []struct{ rule, tool, args, want string }{
		{`allow: [{args: {path: {match: "out/.*"}}}]`, "file_put", `{"path":"out/a","content":""}`, "allow file_put.allow[0]"},
		{`allow: [{args: {path: {match: "out/.*"}}}]`, "file_put", `{"path":"./out/a","content":""}`, "allow file_put.allow[0]"},
		{`allow: [{args: {path: {match: "out/.*"}}}]`, "file_put", `{"path":"out/link","content":""}`, "deny no_rule"},
		{`allow: [{args: {path: {in: [out/link]}}}]`, "file_put", `{"path":"out/link","content":""}`, "deny no_rule"},
		{`allow: [{args: {path: {match: "out/.*"}}}]`, "file_put", `{"path":"OUT/a","content":""}`, "deny no_rule"},
		{`allow: [{}], deny: [{args: {path: {match: "keys/.*"}}}]`, "file_put", `{"path":"./keys/a","content":""}`, "deny file_put.deny[0]"},
		{`allow: [{}], deny: [{args: {path: {match: "keys/.*"}}}]`, "file_put", `{"path":"Keys/a","content":""}`, "deny file_put.deny[0]"},
		{`allow: [{}], deny: [{args: {path: {match: "keys/.*"}}}]`, "file_put", `{"path":"out/link","content":""}`, "deny file_put.deny[0]"},
		{`allow: [{}], deny: [{args: {path: {in: [keys/a]}}}]`, "file_put", `{"path":"./keys/a","content":""}`, "deny file_put.deny[0]"},
		{`allow: [{}], deny: [{args: {path: {in: [keys/a]}}}]`, "file_put", `{"path":"out/link","content":""}`, "deny file_put.deny[0]"},
		{`allow: [{}], deny: [{args: {path: ["keys/**"]}}]`, "file_put", `{"path":"\u212aey\u017f/a","content":""}`, "deny file_put.deny[0]"},
		{`allow: [{}], deny: [{args: {path: ["größe/**"]}}]`, "file_put", `{"path":"gro\u0308ße/a","content":""}`, "deny file_put.deny[0]"},
		{`allow: [{}], deny: [{args: {path: {in: ["größe"]}}}]`, "file_put", `{"path":"gro\u0308ße","content":""}`, "deny file_put.deny[0]"},
		{`allow: [{}], deny: [{args: {path: {match: "größe/.*"}}}]`, "file_put", `{"path":"gro\u0308ße/a","content":""}`, "deny file_put.deny[0]"},
		{`allow: [{}], deny: [{args: {path: {match: "gross/.*"}}}]`, "file_put", `{"path":"Gro\u1e9e/a","content":""}`, "deny file_put.deny[0]"},
		{`allow: [{}], deny: [{args: {path: {match: "keys/.*"}}}]`, "file_put", `{"path":"ke\u034fys/a","content":""}`, "deny file_put.deny[0]"},
		{`allow: [{}], deny: [{args: {path: ["keys/**"]}}]`, "file_put", `{"path":"ke\u034fys/a","content":""}`, "deny file_put.deny[0]"},
		{`allow: [{args: {path: {match: "keys/.*"}}}]`, "file_put", `{"path":"ke\u034fys/a","content":""}`, "deny no_rule"},
		{`allow: [{}], deny: [{args: {query: {match: "drop .*"}}}]`, "search", `{"query":"DROP x"}`, "deny search.deny[0]"},
		// M4: a dot matches a line break, and anchors match only at the ends of the text, in any
		// kind of rule.
		{`allow: [{}], deny: [{args: {query: {match: ".*drop .*"}}}]`, "search", `{"query":"a\nDROP x"}`, "deny search.deny[0]"},
		{`allow: [{}], deny: [{args: {query: {match: ".*drop .*"}}}]`, "search", `{"query":"drop x\r\nb"}`, "deny search.deny[0]"},
		{`allow: [{}], deny: [{args: {query: {match: "^drop .*$"}}}]`, "search", `{"query":"drop x\nb"}`, "deny search.deny[0]"},
		{`allow: [{}], deny: [{args: {query: {match: ".*drop .*|.*wipe"}}}]`, "search", `{"query":"a\nb\nwipe"}`, "deny search.deny[0]"},
		{`allow: [{}], ask: [{args: {query: {match: ".*drop .*"}}}]`, "search", `{"query":"a\ndrop x"}`, "ask search.ask[0]"},
		{`allow: [{args: {query: {match: "find .*"}}}]`, "search", `{"query":"find a\nb"}`, "allow search.allow[0]"},
		{`allow: [{}], ask: [{args: {query: {match: "drop .*"}}}]`, "search", `{"query":"DROP x"}`, "ask search.ask[0]"},
		{`ask: [{args: {query: {match: "drop .*"}}}]`, "search", `{"query":"DROP x"}`, "deny no_rule"},
		{`allow: [{}], ask: [{id: one, args: {query: [a]}}, {id: any}]`, "search", `{"query":"A"}`, "ask any"},
		{`allow: [{}], ask: [{args: {filePaths: ["private/**"]}}]`, "file_read", `{"filePaths":["private/diary.md","a.md"]}`, "ask file_read.ask[0]"},
		{`allow: [{args: {filePaths: ["*.md"]}}], ask: [{args: {filePaths: ["private/**"]}}]`, "file_read", `{"filePaths":["private/diary.md","a.md"]}`, "deny no_rule"},
		{`allow: [{}], ask: [{args: {path: ["keys/**"]}}]`, "file_put", `{"path":"Keys/a","content":""}`, "ask file_put.ask[0]"},
		{`allow: [{}], ask: [{args: {path: ["keys/**"]}}]`, "file_put", `{"path":"out/link","content":""}`, "ask file_put.ask[0]"},
		{`allow: [{}], ask: [{args: {path: ["out/**"]}}]`, "file_put", `{"path":"out/link","content":""}`, "ask file_put.ask[0]"},
		{`allow: [{}], ask: [{args: {uri: {host: [evil.test]}}}]`, "wget", `{"uri":"https://evil.test:8443/"}`, "ask wget.ask[0]"},
		{`allow: [{args: {query: {match: "(?-s)find .*"}}}]`, "search", `{"query":"find a\nb"}`, "deny no_rule"},
		{`allow: [{}], deny: [{args: {id: {match: "1[0-9]*"}}}]`, "issue", `{"id":"12"}`, "deny issue.deny[0]"},
		{`allow: [{}], deny: [{args: {id: {match: "1[0-9]*"}}}]`, "issue", `{"id":12}`, "deny issue.deny[0]"},
		{`allow: [{}], deny: [{args: {id: {match: "1[0-9]*"}}}]`, "issue", `{"id":1.2e1}`, "deny issue.deny[0]"},
		{`allow: [{}], deny: [{args: {id: ["1?"]}}]`, "issue", `{"id":12.0}`, "deny issue.deny[0]"},
		{`allow: [{}], deny: [{args: {id: {match: "1[0-9]*"}}}]`, "issue", `{"id":21}`, "allow issue.allow[0]"},
		{`allow: [{}], deny: [{args: {id: {in: [12]}}}]`, "issue", `{"id":"12"}`, "deny issue.deny[0]"},
		{`allow: [{}], deny: [{args: {id: {in: ["12"]}}}]`, "issue", `{"id":12}`, "deny issue.deny[0]"},
		{`allow: [{}], ask: [{args: {id: {in: ["12"]}}}]`, "issue", `{"id":12}`, "ask issue.ask[0]"},
		{`allow: [{args: {id: {in: [12]}}}]`, "issue", `{"id":"12"}`, "deny no_rule"},
		{`allow: [{args: {id: {match: "1[0-9]*"}}}]`, "issue", `{"id":12}`, "deny no_rule"},
		{`allow: [{}], deny: [{args: {note: [secret]}}]`, "issue", `{"id":1,"note":"open"}`, "allow issue.allow[0]"},
		{`allow: [{}], deny: [{args: {note: [secret]}}]`, "issue", `{"id":1,"note":{"text":"secret"}}`, "deny issue.deny[0]"},
		{`allow: [{}], deny: [{args: {note: [secret]}}]`, "issue", `{"id":1,"note":["a",["secret"]]}`, "deny issue.deny[0]"},
		{`allow: [{}], deny: [{args: {note: ["t*"]}}]`, "issue", `{"id":1,"note":["a",true]}`, "deny issue.deny[0]"},
		{`allow: [{}], deny: [{args: {note: ["**"]}}]`, "issue", `{"id":1,"note":null}`, "allow issue.allow[0]"},
		{`allow: [{args: {note: [open]}}]`, "issue", `{"id":1,"note":{"text":"open"}}`, "deny no_rule"},
		{`allow: [{}], deny: [{args: {words: {prefix: [rm, "5"]}}}]`, "issue", `{"id":1,"words":["rm",5]}`, "deny issue.deny[0]"},
		{`allow: [{}], deny: [{args: {words: {prefix: [rm]}}}]`, "issue", `{"id":1,"words":[["rm"]]}`, "deny issue.deny[0]"},
		{`allow: [{}], deny: [{args: {uri: {host: [93.184.216.34]}}}]`, "wget", `{"uri":"http://[::ffff:93.184.216.34]/"}`, "deny wget.deny[0]"},
		{`allow: [{}], deny: [{args: {uri: {host: ["0:0::1"]}}}]`, "wget", `{"uri":"http://[::1]/"}`, "deny wget.deny[0]"},
		{`allow: [{}], deny: [{args: {uri: {host: ["*.Evil.test."]}}}]`, "wget", `{"uri":"http://a.evil.test./"}`, "deny wget.deny[0]"},
		{`allow: [{args: {uri: {path: ["/v1/**"]}}}]`, "wget", `{"uri":"http://a.test/v1/%c0%ae%c0%ae/x"}`, "deny floor:url"},
		{`allow: [{}], deny: [{args: {uri: {in: ["https://evil.test"]}}}]`, "wget", `{"uri":"https://Evil.test:443/#x"}`, "deny wget.deny[0]"},
		{`allow: [{}], deny: [{args: {uri: {in: ["https://evil.test"]}}}]`, "wget", `{"uri":"https://evil.test/?"}`, "deny wget.deny[0]"},
		{`allow: [{}], deny: [{args: {uri: {in: ["https://evil.test"]}}}]`, "wget", `{"uri":"https://evil.test/x"}`, "allow wget.allow[0]"},
		{`allow: [{args: {uri: {in: ["https://a.test"]}}}]`, "wget", `{"uri":"https://a.test"}`, "allow wget.allow[0]"},
		{`allow: [{args: {uri: {in: ["https://a.test"]}}}]`, "wget", `{"uri":"https://a.test/?q"}`, "deny no_rule"},
		{`allow: [{args: {uri: {path: ["/v1/**"]}}}]`, "wget", `{"uri":"http://a.test/v1/x%0d%0ay"}`, "deny floor:url"},
		{`allow: [{args: {uri: {path: ["/v1/**"]}}}]`, "wget", `{"uri":"http://a.test/v1/%e2%80%8bx"}`, "deny floor:url"},
	} {
		f := of(t, c.tool, c.args)
		f.Resolve = leads
		p := Policy{Layers: []*Layer{layer(t, "{version: 1, tools: {"+c.tool+": {"+c.rule+"}}}")}}
		d := p.Decide(&State{}, f)
		if got := strings.TrimSpace(string(d.Verdict) + " " + d.Rule); got != c.want {
			t.Errorf("%s, %s: %s, want %s", c.rule, c.args, got, c.want)
		}
	}
}

// Compile rejects a constraint that can never match, or that would match unexpected values.
func TestVoidRules(t *testing.T) {
	for name, rule := range map[string]string{
		"wget 1":      `uri: {host: ["evil.test:443"]}`,
		"wget 2":      `uri: {host: ["https://evil.test"]}`,
		"wget 3":      `uri: {host: ["évil.test"]}`,
		"wget 4":      `uri: {host: ["127.1"]}`,
		"wget 5":      `uri: {host: ["a@evil.test"]}`,
		"wget 6":      `uri: {host: [".evil.test"]}`,
		"wget 7":      `uri: {host: ["evil.test/x"]}`,
		"wget 8":      `uri: {path: ["v1/**"]}`,
		"wget 9":      `uri: {path: ["/a%20b"]}`,
		"wget 10":     `uri: {scheme: ["https://"]}`,
		"wget 11":     `uri: ["https://*.ok.test/**"]`,
		"wget 12":     `uri: {match: "https://evil.test/.*"}`,
		"file_put 1":  `path: ["./keys/**"]`,
		"file_put 2":  `path: ["/keys/**"]`,
		"file_put 3":  `path: ["keys/"]`,
		"file_put 4":  `path: ["../**"]`,
		"search 1":    `limit: ["5*"]`,
		"search 2":    `limit: {match: "5.*"}`,
		"search 3":    `limit: {in: ["5"]}`,
		"search 4":    `query: {in: [5]}`,
		"file_read 4": `filePaths: {prefix: [keys/a]}`,
		"file_read 5": `filePaths: ["./keys/**"]`,
	} {
		tool, _, _ := strings.Cut(name, " ")
		if l, findings := compile(t, "{version: 1, tools: {"+tool+": {deny: [{args: {"+rule+"}}]}}}"); l != nil || len(findings) != 1 {
			t.Errorf("%s: %v", rule, findings)
		}
	}
}
