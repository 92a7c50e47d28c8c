package executor

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/fileroot"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// BeforeImage describes the file that a call is about to replace, for its intent record. It returns nil if the call replaces
// none. The arguments fit the definition.
func (e Env) BeforeImage(def *tool.Definition, args json.RawMessage) *runfile.BeforeImage {
	if def.Builtin != FilePut || e.Root == nil {
		return nil
	}
	var in struct{ Path string }
	_ = json.Unmarshal(args, &in)                                    // they fit the definition
	old, err := e.Root.BeforeImage(in.Path, 2*runfile.MaxBeforeText) // more, so that no secret is masked only in part
	var refused *fileroot.PathError
	switch {
	case errors.As(err, &refused) && refused.Kind == fileroot.NotFound:
		return &runfile.BeforeImage{State: chat.FileMissing}
	case errors.As(err, &refused):
		return &runfile.BeforeImage{State: refused.Reason}
	case err != nil:
		return &runfile.BeforeImage{State: err.Error()}
	}
	b := &runfile.BeforeImage{State: chat.FilePresent, Bytes: old.Bytes, SHA256: string(old.Digest)}
	b.Text, b.Truncated = e.textHead(old)
	return b
}

// textHead returns the first bytes of a file with secrets masked, and whether they are truncated; "" if the file is not
// text.
func (e Env) textHead(old fileroot.BeforeImage) (text string, cut bool) {
	text, cut = string(old.Head), int64(len(old.Head)) < old.Bytes
	if cut {
		text = trimPartialRune(text)
	}
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		return "", false
	}
	if text = e.Secrets.Hide(text); len(text) > runfile.MaxBeforeText {
		return trimPartialRune(text[:runfile.MaxBeforeText]), true
	}
	return text, cut
}
