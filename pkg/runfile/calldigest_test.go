package runfile

import "testing"

// A digest depends on the content of a call, not on its spelling.
func TestCallDigest(t *testing.T) {
	base := CallDigest("file_put", []byte(`{"path":"a","n":9007199254740993,"deep":{"x":[1,2],"y":"é"}}`))
	for _, same := range []string{
		`{"n":9007199254740993,"path":"a","deep":{"x":[1,2],"y":"é"}}`,
		" { \"path\" : \"\\u0061\", \"n\":9007199254740993 , \"deep\":{\"y\":\"\\u00e9\",\n\"x\":[1, 2]} } ",
	} {
		if got := CallDigest("file_put", []byte(same)); got != base {
			t.Errorf("%s has another digest", same)
		}
	}
	for _, other := range []string{
		`{"path":"b","n":9007199254740993,"deep":{"x":[1,2],"y":"é"}}`,
		`{"path":"a","n":9007199254740992,"deep":{"x":[1,2],"y":"é"}}`,
		`{"path":"a","n":9007199254740993,"deep":{"x":[2,1],"y":"é"}}`,
		`{"path":"a","n":"9007199254740993","deep":{"x":[1,2],"y":"é"}}`,
		`{"path":"a"`, ``,
	} {
		if got := CallDigest("file_put", []byte(other)); got == base {
			t.Errorf("%s has the same digest", other)
		}
	}
	if CallDigest("file_get", []byte(`{}`)) == CallDigest("file_put", []byte(`{}`)) {
		t.Error("the tool makes no difference")
	}
}
