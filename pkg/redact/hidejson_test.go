package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestHideJSON(t *testing.T) {
	s := of(t, word, `quo"te\and é`, "12345678")
	for doc, want := range map[string]string{
		`{ "a": 1.50 }`: `{ "a": 1.50 }`,
		`{ "a": "` + word + `", "n": 1.50, "n": 2 }`: `{"a":"***","n":1.50,"n":2}`,
		`{"` + word + `": 1}`:                        `{"***":1}`,
		`["very\u002dsecret-token"]`:                 `["***"]`,
		`["quo\"te\\and \u00e9!"]`:                   `["***!"]`,
		`[123456789, "123456789"]`:                   `[123456789,"***9"]`,
		`not JSON: ` + word:                          `not JSON: ***`,
		`"very\u002dsecret-token"A`:                  `"***"A`,
		`[1 "v\u0065ry-secret\u002Dtoken", "\u00e9"`: `[1 "***", "\u00e9"`,
		`\\u002d very\-secret-token \u002`:           `\\u002d very\*** \u002`,
	} {
		if got := string(s.HideJSON([]byte(doc))); got != want {
			t.Errorf("HideJSON(%s) = %s, want %s", doc, got, want)
		}
	}
	var none Set
	if got := none.HideJSON([]byte(`["a"]`)); string(got) != `["a"]` {
		t.Errorf("nothing to hide: %s", got)
	}
}

// HideData also masks numbers with a secret.
func TestHideData(t *testing.T) {
	s := of(t, "493817265501", "correcthorsebattery")
	for doc, want := range map[string]string{
		`{"account":493817265501, "n":1.50}`:          `{"account":"***","n":1.50}`,
		`[-493817265501, 493817265501.5, 4938172655]`: `["***","***",4938172655]`,
		`{ "account": 49381726550 }`:                  `{ "account": 49381726550 }`,
		`{"correcthorsebattery":"493817265501"}`:      `{"correcthorsebattery":"***"}`, // the name of a parameter
	} {
		once := string(s.HideData([]byte(doc)))
		if once != want {
			t.Errorf("HideData(%s) = %s, want %s", doc, once, want)
		}
		if again := string(s.HideData([]byte(once))); again != once {
			t.Errorf("%s: %s became %s", doc, once, again)
		}
	}
	if got := s.HideData(nil); got != nil {
		t.Errorf("no data: %q", got)
	}
}

func TestContainsJSON(t *testing.T) {
	s := of(t, "sk-CANARY-1a2b3c4d5e6f7a8b", "correcthorsebattery", "12345678")
	for args, want := range map[string]bool{
		`{"uri":"https://ok.test/?k=sk-CANARY-1a2b3c4d5e6f7a8b"}`:                           true,
		`{"uri":"https://ok.test/?k=sk%2dCANARY%2D1a2b3c4d5e6f7a8b"}`:                       true,
		`{"uri":"https://ok.test/?k=736b2d43414e4152592d31613262336334643565366637613862"}`: true,
		`{"body":"xc2stQ0FOQVJZLTFhMmIzYzRkNWU2ZjdhOGI="}`:                                  true,
		`{"headers":{"X":"sk\u002dCANARY-1a2b3c4d5e6f7a8b"}}`:                               true,
		`{"headers":{"sk-CANARY-1a2b3c4d5e6f7a8b":"x"}}`:                                    true,
		`{"headers":{"correcthorsebattery":"x"}}`:                                           true,
		`{"correcthorsebattery":"x"}`:                                                       false, // a parameter name
		`{"n":12345678}`:                                                                    true,
		`{"n":[1,2,3,4,5,6,7,8]}`:                                                           false,
		`{"path":"sk-CANARY-1","content":"a2b3c4d5e6f7a8b"}`:                                true, // split between two strings
		`{"path":["sk-CAN","ARY-1a","2b3c4d","5e6f7a","8b"]}`:                               true,
		`{"uri":"https://ok.test/?a=sk-CANARY-1a2b3"}`:                                      true, // its first half
		`{"uri":"https://ok.test/?a=sk-CANARY"}`:                                            false,
		`{"uri":"https://ok.test/"}`:                                                        false,
		`{}`:                                                                                false,
		`{"uri":"sk-CANARY-1a2b3c4d5e6f7a8b`:                                                true, // invalid JSON
	} {
		if got := s.ContainsJSON([]byte(args)); got != want {
			t.Errorf("ContainsJSON(%s) = %v", args, got)
		}
	}
	var none Set
	if none.ContainsJSON([]byte(`{"a":"sk-CANARY-1a2b3c4d5e6f7a8b"}`)) {
		t.Error("nothing is secret, and was found")
	}
}

// Any secret is found anywhere in arguments, in every spelling, and masked output does not
// contain it.
func TestHoldsLaw(t *testing.T) {
	spell := map[string]func(string) string{
		"plain":   func(v string) string { return v },
		"hex":     func(v string) string { return hex.EncodeToString([]byte(v)) },
		"HEX":     func(v string) string { return strings.ToUpper(hex.EncodeToString([]byte(v))) },
		"base64":  func(v string) string { return base64.StdEncoding.EncodeToString([]byte(v)) },
		"behind":  func(v string) string { return base64.URLEncoding.EncodeToString([]byte("k=" + v + ";")) },
		"between": func(v string) string { return base64.RawStdEncoding.EncodeToString([]byte("?" + v + "&")) },
		"query":   url.QueryEscape, "path": url.PathEscape, "small": strings.ToLower, "capital": strings.ToUpper,
		"percent": func(v string) string {
			return "%" + strings.ToUpper(strings.TrimSuffix(strings.ReplaceAll(fmt.Sprintf("% x", v), " ", "%"), "%"))
		},
		"quoted": func(v string) string {
			text, _ := json.Marshal(v)
			return string(text)
		},
		"bytes": func(v string) string { return `\x` + strings.ReplaceAll(fmt.Sprintf("% x", v), " ", `\x`) },
		"units": func(v string) string {
			var b strings.Builder
			for _, r := range v {
				fmt.Fprintf(&b, `\u%04X`, r)
			}
			return b.String()
		},
	}
	names := slices.Sorted(maps.Keys(spell))
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[!-~]{8,60}`).Draw(t, "secret")
		name := rapid.SampledFrom(names).Draw(t, "spelling")
		var s Set
		s.Add(value)
		text := rapid.SampledFrom([]string{"", "https://a.test/?k=", "say ", `{"a":"`}).Draw(t, "before") + spell[name](value) +
			rapid.SampledFrom([]string{"", "&x", "\"}", "\n"}).Draw(t, "behind")
		args, err := json.Marshal(map[string]any{"first": 1, "list": []any{map[string]string{"deep": text}}})
		if err != nil {
			t.Fatal(err)
		}
		if !s.ContainsJSON(args) {
			t.Fatalf("%s: %q is not found in %s", name, value, args)
		}
		if out := s.HideJSON(args); s.ContainsJSON(out) || !json.Valid(out) {
			t.Fatalf("%s: %q became %s", name, args, out)
		}
	})
}

// The output contains no secret, escaped or not, and is JSON if the input is.
func FuzzHideJSON(f *testing.F) {
	for _, doc := range []string{`{"a":"` + word + `"}`, `"very\u002dsecret-token"`, word, `[1,2`, `[1E1000]`, "\"\xff" + word + "\"", `"%76ery-secret-toke…"`} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		s := of(t, word)
		out := s.HideJSON(doc)
		var value any
		d := json.NewDecoder(bytes.NewReader(out))
		d.UseNumber() // a float64 cannot hold every JSON number
		switch err := d.Decode(&value); {
		case json.Valid(doc) && err != nil:
			t.Fatalf("%q became %q: %v", doc, out, err)
		case err == nil && strings.Contains(flatten(value), word), strings.Contains(string(out), word):
			t.Fatalf("%q became %q", doc, out)
		}
	})
}

// flatten returns all strings of a value.
func flatten(v any) string {
	var b strings.Builder
	switch v := v.(type) {
	case string:
		b.WriteString(v)
	case []any:
		for _, e := range v {
			b.WriteString(flatten(e) + "\n")
		}
	case map[string]any:
		for k, e := range v {
			b.WriteString(k + "\n" + flatten(e) + "\n")
		}
	}
	return b.String()
}
