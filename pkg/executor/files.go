package executor

import (
	"context"
	"encoding/json"
	"errors"

	"oneshot/pkg/chat"
	"oneshot/pkg/fileroot"
	"oneshot/pkg/tool"
)

const (
	maxFileBytes  = 1 << 20 // of one file that is read or searched
	maxFilesBytes = 8 << 20 // of all files of one call
)

// files are the tools that work below the root.
type files struct {
	root *fileroot.Root
	hide func(string) string

	labels func(path string) []tool.Label
}

// noRoot is the result of a file tool in a run without a root.
func noRoot() chat.Result {
	return chat.Failure(chat.Denied, "no root: start the run with --root DIR")
}

// A fileContent is what file_read returns for each path.
type fileContent struct {
	Path    string `json:"path"`
	Content string `json:"content"`
	Size    int    `json:"size"` // bytes; 0 if the file was not read

	Digest fileroot.Precondition `json:"sha256,omitempty"` // of the file as it is, if it was read and is asked for
}

// read is file_read(filePaths) (V2). A file that cannot be read, or for which the result has no room,
// does not keep the others from being read.
func (f files) read(ctx context.Context, t task) (chat.Result, error) {
	args, err := decode[struct {
		FilePaths []string `json:"filePaths"`
		Digest    bool     `json:"digest"`
	}](t.args)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "%v", err), nil
	}
	if f.root == nil {
		return noRoot(), nil
	}
	out := make([]fileContent, 0, len(args.FilePaths))
	for _, path := range args.FilePaths {
		out = append(out, fileContent{Path: path, Content: noRoom})
	}
	left := min(t.room, maxFilesBytes) - jsonSize(out)
	for i, path := range args.FilePaths {
		if ctx.Err() != nil {
			return chat.Result{}, context.Cause(ctx)
		}
		one := f.readOne(ctx, path, maxFileBytes, args.Digest)
		if more := jsonSize(one) - jsonSize(out[i]); more <= left {
			out[i], left = one, left-more
		}
	}
	return chat.Success(out), nil
}

// noRoom is what stands for a file that would make the result too large.
const noRoom = "Error reading file: the result has no room for it"

// jsonSize returns how many bytes a value has in a result.
func jsonSize(v any) int64 { return int64(len(chat.Success(v).Data)) }

// leadsKey is the key under which a context has where the paths of a call led when it was let happen.
type leadsKey struct{}

// content reads what a path led to when the call was let happen, or leads to, if nobody has asked.
func (f files) content(ctx context.Context, path string, limit int64) ([]byte, error) {
	leads, _ := ctx.Value(leadsKey{}).(map[string]string)
	if clean, err := fileroot.Clean(path); err == nil && leads[clean] != "" {
		return f.root.ReadResolved(leads[clean], limit)
	}
	return f.root.Read(path, limit)
}

func (f files) readOne(ctx context.Context, path string, limit int, digest bool) fileContent {
	content, err := f.content(ctx, path, int64(limit))
	var refused *fileroot.PathError
	switch {
	case errors.As(err, &refused) && refused.Kind == fileroot.NotFound:
		return fileContent{Path: path, Content: "File not found: " + path}
	case errors.As(err, &refused):
		return fileContent{Path: path, Content: "Error reading file: " + refused.Reason}
	case err != nil:
		return fileContent{Path: path, Content: "Error reading file: " + err.Error()}
	}
	one := fileContent{Path: path, Content: f.hide(string(content)), Size: len(content)}
	if digest {
		one.Digest = fileroot.Digest(content)
	}
	return one
}

// put is file_put(path, content) (M4, M10).
func (f files) put(ctx context.Context, raw json.RawMessage) (chat.Result, error) {
	args, err := decode[struct {
		Path    string                `json:"path"`
		Content string                `json:"content"`
		IfMatch fileroot.Precondition `json:"ifMatch"`
	}](raw)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "%v", err), nil
	}
	if f.root == nil {
		return noRoot(), nil
	}
	err = f.root.Write(args.Path, []byte(args.Content), args.IfMatch)
	if err != nil && !f.wrote(ctx, err, args.Path, args.Content) {
		return pathFailure(err), nil
	}
	return chat.Success(struct {
		Path  string `json:"path"`
		Bytes int    `json:"bytes"`
	}{args.Path, len(args.Content)}), nil
}

// againKey is that of whether a call is made again in the context of tools.
type againKey struct{}

// wrote reports whether a call that is made again finds what it wrote the first time, which its
// own precondition does not expect.
func (f files) wrote(ctx context.Context, err error, path, content string) bool {
	var refused *fileroot.PathError
	if again, _ := ctx.Value(againKey{}).(bool); !again || !errors.As(err, &refused) || refused.Kind != fileroot.Changed {
		return false
	}
	there, err := f.root.Read(path, int64(len(content)))
	return err == nil && string(there) == content
}

// pathFailure returns the result for an error of the vault.
func pathFailure(err error) chat.Result {
	code := chat.Failed
	var refused *fileroot.PathError
	if errors.As(err, &refused) {
		switch refused.Kind {
		case fileroot.Replaced:
			return chat.Failure(code, "%v%s", err, hasEffect)
		case fileroot.NotFound:
			code = chat.NotFound
		case fileroot.Refused:
			code = chat.Denied
		case fileroot.TooLarge:
			code = chat.TooLarge
		case fileroot.NotRegular, fileroot.Changed: // something else is there
			code = chat.Conflict
		}
	}
	return chat.Failure(code, "%v", err)
}
