package wire

import "bytes"

// An HTTPHead is the HTTP head that "curl -i" prints before a body: a status line and header fields,
// once for each response on the way (100 Continue, redirects, proxies). Only the last one
// describes the body.
type HTTPHead struct {
	Status    Segment // the code and the reason
	Code      int
	Type      string // the content type in lower case, without parameters
	Size      int    // in bytes: the offset of the body
	Truncated bool   // it ends before its last line
}

// OK reports whether the status is a success.
func (h HTTPHead) OK() bool { return h.Code/100 == 2 }

// ParseHTTPHead parses the head at the start of a capture, and returns false if it has none.
func ParseHTTPHead(src []byte) (h HTTPHead, ok bool) {
	for at := 0; ; {
		next, isHead := parseHTTPHeadAt(src, at)
		if !isHead {
			return h, ok
		}
		h, ok, at = next, true, next.Size
	}
}

// parseHTTPHeadAt parses the head at an offset.
func parseHTTPHeadAt(src []byte, at int) (HTTPHead, bool) {
	line, end := lineAt(src, at)
	h := HTTPHead{Size: end}
	if !h.parseStatus(line, at) {
		return HTTPHead{}, false
	}
	for fields := 0; ; fields++ {
		line, end = lineAt(src, h.Size)
		h.Truncated = end == len(src) && !bytes.HasSuffix(src, []byte("\n"))
		switch {
		case h.Size == len(src):
			h.Truncated = true
			return h, fields > 0
		case len(line) == 0 && !h.Truncated:
			h.Size = end
			return h, true
		case !h.parseField(line):
			return HTTPHead{}, false
		}
		h.Size = end
	}
}

// lineAt returns the line at an offset, without its end, and the offset of the next line.
func lineAt(src []byte, at int) (line []byte, next int) {
	line, next = src[at:], len(src)
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line, next = line[:i], at+i+1
	}
	return bytes.TrimSuffix(line, []byte("\r")), next
}

// parseStatus parses the status line at an offset: HTTP/1.1 404 Not Found.
func (h *HTTPHead) parseStatus(line []byte, at int) bool {
	version, status, _ := bytes.Cut(line, []byte(" "))
	number, isHTTP := bytes.CutPrefix(version, []byte("HTTP/"))
	code, _, _ := bytes.Cut(status, []byte(" "))
	if !isHTTP || len(number) == 0 || len(bytes.Trim(number, "0123456789.")) > 0 || len(code) != 3 || len(bytes.Trim(code, "0123456789")) > 0 {
		return false
	}
	h.Code = int(code[0]-'0')*100 + int(code[1]-'0')*10 + int(code[2]-'0')
	start := at + len(version) + 1
	h.Status = Segment{Start: start, End: start + len(bytes.TrimRight(status, blanks)), ObjectStart: at}
	return true
}

// parseField parses a header field, the last of which may be truncated, or a continuation line.
func (h *HTTPHead) parseField(line []byte) bool {
	if len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
		return true
	}
	name, value, named := bytes.Cut(line, []byte(":"))
	if !named && !h.Truncated || len(name) == 0 || !isToken(name) {
		return false
	}
	if bytes.EqualFold(name, []byte("content-type")) {
		kind, _, _ := bytes.Cut(value, []byte(";"))
		h.Type = asciiLower(string(bytes.TrimSpace(kind)))
	}
	return true
}

// isToken reports whether a text can be a field name.
func isToken(name []byte) bool {
	return !bytes.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f || bytes.ContainsRune([]byte(`"(),/;<=>?@[\]{}`), r) })
}
