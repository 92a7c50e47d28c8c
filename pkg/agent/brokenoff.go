package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/runfile"
)

// brokenText is how many bytes of a text of a response that broke off are on record: half of them from its beginning, and
// estimate the content as many from its end.
const brokenText = 64 << 10

// shortenBroken cuts a long response that broke off, of which nothing counts, down to its head, the tail of its content and
// a digest of the whole. The first read bytes of the content stay: a run that is resumed reads them again, and has to find
// the calls in them. Native calls stay, too.
func shortenBroken(body *runfile.Response, read int) {
	const once = 2*brokenText + 1<<10 // what was cut is not cut again in a run that is resumed
	if len(body.Content)+len(body.Reasoning) <= max(once, read+once) {
		return
	}
	sum := sha256.Sum256([]byte(body.Content + "\x00" + body.Reasoning))
	body.Bytes, body.Digest = len(body.Content)+len(body.Reasoning), "sha256:"+hex.EncodeToString(sum[:])
	content := body.Content
	body.Content, body.Reasoning = headOf(content, max(read, brokenText/2)), headOf(body.Reasoning, brokenText/2)
	tail := content[len(body.Content):]
	body.Tail = strings.ToValidUTF8(tail[max(0, len(tail)-brokenText/2):], "")
}

// headOf returns the first bytes of a text, and no part of a character.
func headOf(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := 0; i < utf8.UTFMax && n > 0 && !utf8.RuneStart(text[n]); i++ {
		n--
	}
	return text[:n]
}
