package lint

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzIsCertainlyObject: isCertainlyObject accepts only valid JSON, and usually accepts records.
func FuzzIsCertainlyObject(f *testing.F) {
	for _, line := range []string{
		`{}`, ` { "a" : "b\n\u00e9\"c" , "d" : [ 1 , { "e" : null } ] } `, `{"a":"x","a":1}`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{"a":1 2}`,
		`{"a":"\x"}`, `{"a":"\u00g0"}`, "{\"a\":\"long enough for \x01\"}", `{"a":tru}`, `{"a":{"b":1,"b":2}}`, `{"a":[}`, `{"a":"\`, `{"a":1}}`, "{\"a\":\"\xff\"}",
		"{\"\xce\":\"\",\"\xf8\":0}",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if isCertainlyObject([]byte(line)) && !jsontext.Value(line).IsValid(jsontext.AllowInvalidUTF8(true)) {
			t.Errorf("%q is no JSON", line)
		}
	})
}

func TestSurelyObject(t *testing.T) {
	for line, want := range map[string]bool{
		`{}`: true, ` { "a" : "b\n\u00e9\"c" , "d" : [ 1 , { "e" : null } ] } `: true, `{"id":17,"text":"Fine.","more":-1.5e3,"ok":true}`: true,
		"{\"a\":\"\xff\"}": true, `[]`: false, ``: false, `{"a":1`: false,
	} {
		if got := isCertainlyObject([]byte(line)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
