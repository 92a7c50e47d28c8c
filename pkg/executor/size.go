package executor

import (
	"encoding/json"
	"fmt"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// maxMessage is the longest error message of a result in bytes.
const maxMessage = 4 << 10

// fit brings a result under its size limit in bytes, and under what a run file keeps of one, so that a run
// can go on with it. Text is cut and says so; other data would lose its form and is dropped.
func fit(r chat.Result, limit int64) chat.Result {
	if r.Error != nil && len(r.Error.Message) > maxMessage {
		cut := *r.Error
		cut.Message = head(cut.Message, maxMessage) + "…"
		r.Error = &cut
	}
	limit = min(limit, runfile.MaxResult)
	if int64(len(r.Data)) <= limit {
		return r
	}
	var text string
	if err := json.Unmarshal(r.Data, &text); err != nil {
		return chat.Failure(chat.TooLarge, "the result has %d bytes; %d are allowed", len(r.Data), limit)
	}
	n := int(min(limit, int64(len(text)))) // of its JSON form, the escapes do not count,
	if len(r.Data) > runfile.MaxResult {   // but for a record
		n = min(n, fitting(text, runfile.MaxResult-notes))
	}
	if n == len(text) {
		return r
	}
	kept := head(text, n)
	return chat.Success(kept + fmt.Sprintf("\n[cut here: %d of the tool's %d bytes are shown]", len(kept), len(text)))
}

// head returns the first n bytes of s, or fewer so that no character is split.
func head(s string, n int) string {
	return strings.ToValidUTF8(s[:n], "")
}
