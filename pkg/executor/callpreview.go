package executor

import (
	"encoding/json"
	"errors"

	"oneshot/pkg/chat"
	"oneshot/pkg/fileroot"
	"oneshot/pkg/netguard"
	"oneshot/pkg/tool"
)

// maxPreview is the maximum size of a file whose content a preview includes, in bytes.
const maxPreview = 16 << 20

// PreviewCall describes the effects of a call. The arguments fit the definition. It reads the files of the call, but
// runs, changes and sends nothing.
func (e Env) PreviewCall(def *tool.Definition, args json.RawMessage) chat.CallPreview {
	var p chat.CallPreview
	would, err := e.DryRun(def, args)
	if err != nil {
		p.Fails = err.Error()
	}
	if p.Argv = would.Argv; len(p.Argv) > 0 && e.Programs != nil {
		if path, err := e.Programs.Find(p.Argv); err == nil { // otherwise p.Fails has the error
			p.Argv[0] = path
		}
	}
	if would.Request != nil {
		p.Request = &chat.RequestPreview{Method: would.Request.Method, URL: would.Request.URL}
	} else if page := e.requestedURL(def, args); page != "" {
		p.Request = &chat.RequestPreview{Method: "GET", URL: page}
	}
	p.Files = e.previewFiles(def, args)
	return p
}

// requestedURL returns the URL that a built-in tool requests or opens, as it is sent, or "".
func (e Env) requestedURL(def *tool.Definition, args json.RawMessage) string {
	var in struct{ URI, URL string }
	if json.Unmarshal(args, &in) != nil {
		return ""
	}
	switch def.Builtin {
	case Wget:
		if u, err := netguard.CheckURL(in.URI); err == nil {
			return u.String()
		}
	case OpenURL:
		if page, err := escapedURL(in.URL); err == nil {
			return page
		}
	}
	return ""
}

// previewFiles returns the files of a call.
func (e Env) previewFiles(def *tool.Definition, args json.RawMessage) []chat.FilePreview {
	paths, err := def.FilePaths(args)
	if err != nil || e.Root == nil { // the call reports the error
		return nil
	}
	var out []chat.FilePreview
	for _, path := range paths {
		f := e.previewFile(path)
		if def.Builtin == FilePut {
			f.New = filePutContent(args)
		} else {
			f.Old = nil
		}
		out = append(out, f)
	}
	return out
}

// filePutContent returns the content that file_put writes; never nil.
func filePutContent(args json.RawMessage) []byte {
	var in struct{ Content string }
	_ = json.Unmarshal(args, &in) // they fit the definition
	return append([]byte{}, in.Content...)
}

// previewFile describes the file at a path.
func (e Env) previewFile(path string) chat.FilePreview {
	f := chat.FilePreview{Path: path, Resolved: path, State: chat.FilePresent}
	leads, err := e.Root.Resolve(path)
	if err == nil {
		f.Resolved = leads
		f.Old, err = e.Root.ReadResolved(leads, maxPreview)
	}
	var wrong *fileroot.PathError
	switch {
	case err == nil:
		f.Bytes, f.SHA256 = len(f.Old), string(fileroot.Digest(f.Old))
	case errors.As(err, &wrong) && wrong.Kind == fileroot.NotFound:
		f.State = chat.FileMissing
	case errors.As(err, &wrong):
		f.State = wrong.Reason
	default:
		f.State = err.Error()
	}
	return f
}
