package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"oneshot/pkg/runfile"
)

// brokenText is how many bytes of a text of a response that broke off are on record, but for a line that says
// what is left out.
const brokenText = 64 << 10

// shortenBroken cuts a long response without calls, of which nothing counts, down to its head, its tail and a
// digest of the whole. One with calls stays whole: a run that is resumed reads them again.
func shortenBroken(body *runfile.Response, calls int) {
	const once = 2*brokenText + 1<<10 // what was cut is not cut again in a run that is resumed
	if calls > 0 || len(body.Content)+len(body.Reasoning) <= once {
		return
	}
	sum := sha256.Sum256([]byte(body.Content + "\x00" + body.Reasoning))
	body.Bytes, body.Digest = len(body.Content)+len(body.Reasoning), "sha256:"+hex.EncodeToString(sum[:])
	body.Content, body.Reasoning = headAndTail(body.Content), headAndTail(body.Reasoning)
}

// headAndTail returns a text without its middle, if it is long.
func headAndTail(text string) string {
	if len(text) <= brokenText {
		return text
	}
	head := strings.ToValidUTF8(text[:brokenText/2], "")
	tail := strings.ToValidUTF8(text[len(text)-brokenText/2:], "")
	return fmt.Sprintf("%s\n[%d bytes omitted]\n%s", head, len(text)-len(head)-len(tail), tail)
}
