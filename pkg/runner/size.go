package runner

import (
	"encoding/json"
	"fmt"
	"strings"

	"oneshot/pkg/chat"
)

// maxMessage is the longest error message of a result in bytes.
const maxMessage = 4 << 10

// fit brings a result under its size limit in bytes. Text is cut and says so;
// other data would lose its form and is dropped.
func fit(r chat.Result, limit int64) chat.Result {
	if r.Error != nil && len(r.Error.Message) > maxMessage {
		cut := *r.Error
		cut.Message = head(cut.Message, maxMessage) + "…"
		r.Error = &cut
	}
	if int64(len(r.Data)) <= limit {
		return r
	}
	var text string
	if err := json.Unmarshal(r.Data, &text); err != nil {
		return chat.Failure(chat.TooLarge, "the result has %d bytes; %d are allowed", len(r.Data), limit)
	}
	if int64(len(text)) <= limit {
		return r // only its JSON form, with the escapes, is longer
	}
	kept := head(text, int(limit))
	return chat.Success(kept + fmt.Sprintf("\n[cut here: %d of the tool's %d bytes are shown]", len(kept), len(text)))
}

// head returns the first n bytes of s, or fewer so that no character is split.
func head(s string, n int) string {
	return strings.ToValidUTF8(s[:n], "")
}
