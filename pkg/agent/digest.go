package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
)

// digest returns the digest of a call as recorded, without secrets.
func (r *run) digest(tool string, args json.RawMessage) string {
	return runfile.CallDigest(tool, r.cfg.Policy.Secrets.HideJSON(args))
}

// idempotencyKey returns the key that identifies a call when it is repeated after a crash: 32
// hexadecimal digits, "" if its tool uses none. Other arguments get another key.
func (r *run) idempotencyKey(inv *invocation) string {
	if !inv.def.HasKey() {
		return ""
	}
	h := sha256.New()
	for _, part := range []string{r.cfg.ID, hex.EncodeToString(r.cfg.Seed[:]), inv.call.ID, inv.digest} {
		fmt.Fprintf(h, "%d:%s", len(part), part) // writing to a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// redacted returns messages without secrets, as they are recorded.
func redacted(messages []chat.Message, s *redact.Set) []chat.Message {
	if s.IsEmpty() {
		return messages
	}
	messages = slices.Clone(messages)
	for i := range messages {
		m := &messages[i]
		m.Content, m.Calls = s.Hide(m.Content), slices.Clone(m.Calls)
		for j := range m.Calls {
			m.Calls[j].Arguments = s.HideJSON(m.Calls[j].Arguments)
		}
		if m.Native != nil {
			native := *m.Native
			native.Body = s.HideJSON(native.Body)
			m.Native = &native
		}
	}
	return messages
}
