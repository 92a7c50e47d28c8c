package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/runfile"
)

// maxBrokenBytes bounds the recorded text of a response that broke off: half of it from the start,
// and for the content as much again from the end.
const maxBrokenBytes = 64 << 10

// truncateBrokenResponse shortens a long response that broke off to its head, the tail of its content and a
// digest of the whole. It keeps the first read bytes of the content and all native calls: a resumed
// run parses them again and must find the same calls.
func truncateBrokenResponse(body *runfile.Response, read int) {
	const once = 2*maxBrokenBytes + 1<<10 // a resumed run must not shorten a shortened response again
	if len(body.Content)+len(body.Reasoning) <= max(once, read+once) {
		return
	}
	sum := sha256.Sum256([]byte(body.Content + "\x00" + body.Reasoning))
	body.Bytes, body.Digest = len(body.Content)+len(body.Reasoning), "sha256:"+hex.EncodeToString(sum[:])
	content := body.Content
	body.Content, body.Reasoning = headOf(content, max(read, maxBrokenBytes/2)), headOf(body.Reasoning, maxBrokenBytes/2)
	tail := content[len(body.Content):]
	body.Tail = strings.ToValidUTF8(tail[max(0, len(tail)-maxBrokenBytes/2):], "")
}

// headOf returns at most n bytes from the start of a text, without splitting a character.
func headOf(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := 0; i < utf8.UTFMax && n > 0 && !utf8.RuneStart(text[n]); i++ {
		n--
	}
	return text[:n]
}
