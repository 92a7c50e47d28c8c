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

// digest identifies a call, as its record has it.
func (r *run) digest(tool string, args json.RawMessage) string {
	return runfile.CallDigest(tool, r.cfg.Policy.Secrets.HideJSON(args))
}

// key returns what makes a call the same one when it is made again after a crash, in 32 hexadecimal
// digits; "" where its tool wants none. Arguments that are others have another key.
func (r *run) key(s *invocation) string {
	if !s.def.Keyed() {
		return ""
	}
	h := sha256.New()
	for _, part := range []string{r.cfg.ID, hex.EncodeToString(r.cfg.Seed[:]), s.call.ID, s.digest} {
		fmt.Fprintf(h, "%d:%s", len(part), part) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// redacted returns messages as they are on record, without secrets.
func redacted(messages []chat.Message, s *redact.Set) []chat.Message {
	if s.None() {
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
