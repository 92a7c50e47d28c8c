package executor

import (
	"encoding/json"
	"fmt"

	"oneshot/pkg/chat"
	"oneshot/pkg/quote"
	"oneshot/pkg/runfile"
)

// maxMessage is the maximum length of an error message in bytes.
const maxMessage = 4 << 10

// limitSize limits a result to a size in bytes and to the maximum of a run file, so that the run can be resumed.
// Text is truncated with a note; other data would become invalid and is dropped.
func limitSize(r chat.Result, limit int64) chat.Result {
	if r.Error != nil && len(r.Error.Message) > maxMessage {
		cut := *r.Error
		cut.Message = quote.ValidPrefix(cut.Message, maxMessage) + "…"
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
	n := int(min(limit, int64(len(text)))) // JSON escapes do not count,
	if len(r.Data) > runfile.MaxResult {   // except in a record
		n = min(n, jsonPrefixFitting(text, runfile.MaxResult-notesRoom))
	}
	if n == len(text) {
		return r
	}
	kept := quote.ValidPrefix(text, n)
	return chat.Success(kept + fmt.Sprintf("\n[cut here: %d of the tool's %d bytes are shown]", len(kept), len(text)))
}
