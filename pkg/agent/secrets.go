package agent

import (
	"encoding/json"
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
	"oneshot/pkg/secret"
)

// digest identifies a call, as its record has it.
func (r *run) digest(tool string, args json.RawMessage) string {
	return runfile.CallDigest(tool, r.cfg.Policy.Secrets.HideJSON(args))
}

// hidden returns a request as it can be made again from its record, which holds no secret
// although a model can have said one.
func hidden(req chat.Request, s *secret.Set) chat.Request {
	if s.None() {
		return req
	}
	req.System, req.Messages = s.Hide(req.System), slices.Clone(req.Messages)
	for i := range req.Messages {
		m := &req.Messages[i]
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
	return req
}
