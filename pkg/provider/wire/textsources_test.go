package wire_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/provider/wire"
)

// Every byte of a text is located at its character in the body.
func TestLocator(t *testing.T) {
	body := []byte(`data: {"a":"one \"two\""}` + "\n" + `data: {"a":"\u00e9\ud83d\ude00\né"}` + "\n" + `data: {"b":[1,` + "\n" + `data: 2]}`)
	piece := func(at int, text string, quoted bool) wire.Segment {
		start := bytes.Index(body, []byte(text))
		return wire.Segment{TextOffset: at, Start: start, End: start + len(text), Quoted: quoted}
	}
	pieces := []wire.Segment{piece(0, `"one \"two\""`, true), piece(9, `"\u00e9\ud83d\ude00\né"`, true), piece(18, "[1,", false), piece(21, "2]", false)}
	text := "one \"two\"" + "é😀\né" + "[1,2]"
	for _, tt := range []struct {
		part string
		want []string
	}{
		{"one", []string{"one"}},
		{`"two"`, []string{`\"two\"`}},
		{`"é`, []string{`\"`, `\u00e9`}},
		{"😀", []string{`\ud83d\ude00`}},
		{"\n", []string{`\n`}},
		{"é[", []string{"é", "["}},
		{",2]", []string{",", "2]"}},
		{text, []string{`one \"two\"`, `\u00e9\ud83d\ude00\né`, "[1,", "2]"}},
	} {
		start := strings.LastIndex(text, tt.part)
		var got []string
		for _, p := range wire.NewLocator(body, pieces).Locate(start, start+len(tt.part)) {
			got = append(got, string(body[p.Start:p.End]))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.part, diff)
		}
	}
}
