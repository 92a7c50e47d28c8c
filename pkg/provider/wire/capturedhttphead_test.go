package wire_test

import (
	"strconv"
	"strings"
	"testing"

	"oneshot/pkg/provider/wire"
)

// M3: text that only begins like a head has no head, and the last of several heads counts.
func TestHeads(t *testing.T) {
	for _, c := range []struct {
		text, kind string
		code       int // 0: there is no head
		body       string
		cut        bool
	}{
		{"HTTP/1.1 200 OK\r\nA: b\r\n\r\n{}", "", 200, "{}", false},
		{"HTTP/2 204 \n\n", "", 204, "", false},
		{"HTTP/1.1 404\n\nx", "", 404, "x", false},
		{"HTTP/1.1 200 OK\nContent-Type: Text/HTML; charset=x\n\n{}", "text/html", 200, "{}", false},
		{"HTTP/1.1 100 Continue\n\nHTTP/1.1 301 Moved\nA: b\n\nHTTP/2 500\nA: b\n\nHTTP", "", 500, "HTTP", false},
		{"HTTP/1.1 100 Continue\n\nHTTP/1.1 2", "", 100, "HTTP/1.1 2", false},
		{"HTTP/1.1 200 OK\nA: b\n c\n\n", "", 200, "", false},
		{"HTTP/1.1 200 OK\nA: b\n", "", 200, "", true},
		{"HTTP/1.1 200 OK\nA: b\nConte", "", 200, "", true},
		{"HTTP/1.1 200 OK\nA: b\nConte\n\n{}", "", 0, "", false},
		{"HTTP/1.1 200 OK\nand so on\n\n", "", 0, "", false},
		{"HTTP/1.1 200 OK\n", "", 0, "", false},
		{"HTTP/1.1 200 OK", "", 0, "", false},
		{"HTTP/x 200 OK\n\n", "", 0, "", false},
		{"HTTP/1.1 20 OK\n\n", "", 0, "", false},
		{"HTTP/1.1\n\n", "", 0, "", false},
		{"\nHTTP/1.1 200 OK\n\n", "", 0, "", false},
		{"", "", 0, "", false},
	} {
		h, ok := wire.ParseHTTPHead([]byte(c.text))
		if ok != (c.code != 0) || h.Code != c.code || h.Type != c.kind || h.Truncated != c.cut {
			t.Errorf("%q: %+v, %t", c.text, h, ok)
		}
		if ok && c.text[h.Size:] != c.body {
			t.Errorf("%q: the body is %q", c.text, c.text[h.Size:])
		}
		if ok && !strings.HasPrefix(c.text[h.Status.Start:], strconv.Itoa(c.code)) {
			t.Errorf("%q: the status begins at %d", c.text, h.Status.Start)
		}
	}
}
