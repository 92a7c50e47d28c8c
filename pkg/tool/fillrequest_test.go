package tool

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/netguard"
)

// requestOf returns a definition with parameters and a request, both in YAML.
func requestOf(t testing.TB, parameters, request string) *Definition {
	t.Helper()
	defs, findings := Loader{}.Parse("r.yaml", fmt.Appendf(nil, `name: r
description: Do it.
parameters: %s
examples: [{call: 'r({id: "1"})'}, {call: 'r({id: "2"})'}, {call: 'r({id: "3"})'}]
effect: write
http: %s
`, parameters, request))
	if len(findings) > 0 || len(defs) != 1 {
		t.Fatal(lines(findings))
	}
	return defs[0]
}

const identified = `{id: {type: string}, q: {type: string, required: false}, n: {type: integer, required: false}, f: {type: number, required: false}, b: {type: boolean, default: true},
  many: {type: array, items: {type: string}, required: false}, any: {required: false}, o: {type: object, required: false}}`

func secretOf(name string) string { return "<" + name + ">" }

// Arguments in a request: each value is escaped for its place.
func TestFillRequest(t *testing.T) {
	long := strings.Repeat("x", 9<<10)
	for _, tt := range []struct{ request, args, want string }{
		{`{url: "https://a.test"}`, `{"id":"1"}`, "GET https://a.test"},
		{`{url: "https://a.test/"}`, `{"id":"1"}`, "GET https://a.test"},
		{`{url: "HTTPS://A.test:8443/x/"}`, `{"id":"1"}`, "GET https://A.test:8443/x/"},
		{`{url: "https://a.test/${id}"}`, `{"id":"a/b?c#d%2Fe f+g;h:i@j=k&l$"}`, "GET https://a.test/a%2Fb%3Fc%23d%252Fe%20f%2Bg%3Bh%3Ai%40j%3Dk%26l%24"},
		{`{url: "https://a.test/${id}"}`, `{"id":"${q}","q":"no"}`, "GET https://a.test/%24%7Bq%7D"},
		{`{url: "https://a.test/$${id}/${id}.json"}`, `{"id":"1"}`, "GET https://a.test/${id}/1.json"},
		{`{url: "https://a.test/?a=$${id}&b", query: {q: "${id}"}}`, `{"id":"1"}`, "GET https://a.test?a=${id}&b&q=1"},
		{`{url: "https://a.test/v${id}/x.${b}"}`, `{"id":"1"}`, "GET https://a.test/v1/x.true"},
		{`{url: "https://a.test/.${id}/x"}`, `{"id":"."}`, `id: the URL path would contain the segment ".."`},
		{`{url: "https://a.test/%2e${id}/x"}`, `{"id":"."}`, `id: the URL path would contain the segment ".."`},
		{`{url: "https://a.test/a%2F%252e${id}/x"}`, `{"id":"."}`, `id: the URL path would contain the segment ".."`},
		{`{url: "https://a.test/%2e${id}/x"}`, `{"id":"git"}`, "GET https://a.test/%2egit/x"},
		{`{url: "https://a.test/a%2f${id}/x"}`, `{"id":".."}`, `id: the URL path would contain the segment ".."`},
		{`{url: "https://a.test/${id}/x"}`, `{"id":"%2e%2e"}`, "GET https://a.test/%252e%252e/x"},
		{`{url: "https://a.test/${id}/x"}`, `{"id":"/etc"}`, `id: the URL path would contain the segment ""`},
		{`{url: "https://a.test/${id}/x"}`, `{"id":"a/./b"}`, `id: the URL path would contain the segment "."`},
		{`{url: "https://a.test/${id}/x"}`, `{"id":"a\nb"}`, `id: a URL path cannot contain control characters`},
		{`{url: "https://a.test/${id}"}`, `{"id":"` + long + `"}`, `the URL: "https://a.test/` + long[:185] + `…" is refused: it is longer than 8192 bytes`},
		{`{url: "https://a.test/?x=1", query: {q: "${q}", n: "${n}", f: "a ${f}", b: "${b}", m: "${many}", "k&k": 5}}`,
			`{"id":"1","q":"a&b=c d","n":5.0,"f":1.50,"many":["","x y"]}`, "GET https://a.test?x=1&q=a%26b%3Dc+d&n=5&f=a+1.50&b=true&m=&m=x+y&k%26k=5"},
		{`{url: "https://a.test/", query: {q: "${q}", m: "${many}"}}`, `{"id":"1","q":null,"many":[]}`, "GET https://a.test"},
		{`{url: "https://a.test/", headers: {A: "${q}", B: "x ${q}", C: " ${id} ", D: "${secret:ONE} ${secret:TWO}", E: 5}}`, `{"id":"1"}`,
			"GET https://a.test\nC: 1\nD: <ONE> <TWO>\nE: 5"},
		{`{url: "https://a.test/", headers: {A: "${id}"}}`, `{"id":"${secret:ONE}"}`, "GET https://a.test\nA: ${secret:ONE}"},
		{`{url: "https://a.test/", headers: {A: "${id}"}}`, `{"id":"é"}`, "id: a header can contain only printable ASCII characters"},
		{`{url: "https://a.test/", headers: {A: "${id}"}}`, `{"id":"a\r\nB: c"}`, "id: a header can contain only printable ASCII characters"},
		{`{method: POST, url: "https://a.test/", body: json}`, `{"id":"1","f":1.50}`, "POST https://a.test\nContent-Type: application/json\n\n" + `{"id":"1","f":1.50,"b":true}`},
		{`{method: PATCH, url: "https://a.test/", body: {a: "${any}", o: "${o}", l: ["${q}", "${n}"], e: {x: "${q}"}, t: "${id} is ${f}", u: "${q} not"}, headers: {Content-Type: application/merge-patch+json}}`,
			`{"id":"\"1\"","any":[1.0,{"a":null}],"n":7,"f":1e3}`, "PATCH https://a.test\nContent-Type: application/merge-patch+json\n\n" + `{"a":[1.0,{"a":null}],"l":[7],"e":{},"t":"\"1\" is 1e3"}`},
		{`{method: POST, url: "https://a.test/", body: {a: "${any}", m: "${many}"}}`, `{"id":"1","any":null,"many":[]}`, "POST https://a.test\nContent-Type: application/json\n\n" + `{"a":null,"m":[]}`},
		{`{method: POST, url: "https://a.test/", body: ["${id}"]}`, `{"id":"1"}`, "POST https://a.test\nContent-Type: application/json\n\n" + `["1"]`},
		{`{method: POST, url: "https://a.test/", body: "${id}"}`, `{"id":"1"}`, "POST https://a.test\nContent-Type: application/json\n\n" + `"1"`},
		{`{method: POST, url: "https://a.test/", form: {a: "${id}", m: "${many}", q: "${q}"}}`, `{"id":"&=","many":["1","2"]}`,
			"POST https://a.test\nContent-Type: application/x-www-form-urlencoded\n\na=%26%3D&m=1&m=2"},
		{`{method: POST, url: "https://a.test/", form: {}}`, `{"id":"1"}`, "POST https://a.test\nContent-Type: application/x-www-form-urlencoded\n\n"},
	} {
		t.Run(tt.request+tt.args[:min(len(tt.args), 40)], func(t *testing.T) {
			filled, err := requestOf(t, identified, tt.request).FillRequest(json.RawMessage(tt.args), secretOf)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = textOfRequest(filled)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// textOfRequest returns a request as lines.
func textOfRequest(r FilledRequest) string {
	var b strings.Builder
	b.WriteString(r.Method + " " + r.URL)
	var head strings.Builder
	_ = r.Header.Write(&head) // a builder returns no errors
	b.WriteString(strings.TrimRight("\n"+strings.ReplaceAll(head.String(), "\r\n", "\n"), "\n"))
	if r.Body != nil {
		b.WriteString("\n\n" + string(r.Body))
	}
	return b.String()
}

// Repeated placeholders do not get around the size limit.
func TestRequestBounded(t *testing.T) {
	many := strings.Repeat(`"${id}", `, 100)
	d := requestOf(t, identified, `{method: POST, url: "https://a.test/", body: [`+many+`1]}`)
	_, err := d.FillRequest(json.RawMessage(`{"id":"`+strings.Repeat("x", 100_000)+`"}`), secretOf)
	if wrong, ok := err.(*FillError); !ok || !wrong.TooLarge {
		t.Errorf("%v", err)
	}
}

// Whatever the values are, the host, the number of path segments and the names of the query are
// those of the definition, the body is JSON with its members, and no header ends early.
func FuzzRequest(f *testing.F) {
	d := requestOf(f, `{id: {type: string}, q: {type: string, required: false}, any: {required: false}}`, `{method: POST, url: "https://a.test:8443/v1/${id}/x-${id}/end", query: {q: "${q}", fixed: 1}, headers: {X-A: "a ${q}"}, body: {id: "${id}", text: "is ${q}", any: "${any}"}}`)
	for _, seed := range []string{"", "a", "..", "a/b", `a\b`, "%2f", "a?b", "a#b", "@other.test", "a\r\nb", "é", "\u202e", "${q}", `"}`, "\xff"} {
		f.Add(seed, seed, `{"a":1}`)
	}
	f.Fuzz(func(t *testing.T, id, q, raw string) {
		if !json.Valid([]byte(raw)) {
			raw = "null"
		}
		id, q = strings.ToValidUTF8(id, "?"), strings.ToValidUTF8(q, "?")
		args, err := json.Marshal(map[string]any{"id": id, "q": q, "any": json.RawMessage(raw)})
		if err != nil {
			t.Fatal(err) // raw is valid JSON
		}
		filled, err := d.FillRequest(args, secretOf)
		if err != nil {
			return
		}
		u, err := url.Parse(filled.URL)
		if err != nil || u.Scheme+"://"+u.Host != "https://a.test:8443" || strings.Count(u.EscapedPath(), "/") != 4 || u.Fragment != "" || u.User != nil {
			t.Fatalf("%q: %v", filled.URL, err)
		}
		if _, err := netguard.CheckURL(filled.URL); err != nil {
			t.Fatal(err)
		}
		if query := u.Query(); len(query) != 2 || len(query["q"]) != 1 || len(query["fixed"]) != 1 {
			t.Fatalf("%q", filled.URL)
		}
		for _, part := range strings.Split(u.Path, "/")[1:] {
			if part == "" || part == "." || part == ".." {
				t.Fatalf("%q", filled.URL)
			}
		}
		for _, values := range filled.Header {
			if len(values) != 1 || strings.ContainsAny(values[0], "\r\n\x00") {
				t.Fatalf("%q", values)
			}
		}
		var body map[string]json.RawMessage
		if err := json.Unmarshal(filled.Body, &body); err != nil || len(body) != 3 {
			t.Fatalf("%s: %v", filled.Body, err)
		}
		var text string
		if err := json.Unmarshal(body["text"], &text); err != nil || text != "is "+q {
			t.Fatalf("%s: %v", body["text"], err)
		}
	})
}
