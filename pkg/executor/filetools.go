package executor

import (
	"context"
	"errors"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/fileroot"
	"oneshot/pkg/tool"
)

const (
	maxFileBytes  = 1 << 20 // per file that is read or searched
	maxFilesBytes = 8 << 20 // for all files of one call
)

// files implements the tools that access files below the root.
type files struct {
	root *fileroot.Root
	hide func(string) string

	labels func(path string) []tool.Label
}

// noRootResult is the result of a file tool in a run without a root.
func noRootResult() chat.Result {
	return chat.Failure(chat.Denied, "no root: start the run with --root DIR")
}

// A fileContent is the element of a file_read result for one path.
type fileContent struct {
	Path    string `json:"path"`
	Content string `json:"content"`
	Size    int    `json:"size"` // in bytes; 0 if the file was not read

	Digest fileroot.Precondition `json:"sha256,omitempty"` // of the unmasked file, if requested and read
}

// read is file_read(filePaths) (V2). A file that cannot be read, or does not fit into the result, does not
// affect the others.
func (f files) read(ctx context.Context, t task) (chat.Result, error) {
	args, err := decodeStrict[struct {
		FilePaths []string `json:"filePaths"`
		Digest    bool     `json:"digest"`
	}](t.args)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "%v", err), nil
	}
	if f.root == nil {
		return noRootResult(), nil
	}
	out := make([]fileContent, 0, len(args.FilePaths))
	for _, path := range args.FilePaths {
		out = append(out, fileContent{Path: path, Content: noRoomText})
	}
	left := min(t.maxResult, maxFilesBytes) - jsonSize(out)
	for i, path := range args.FilePaths {
		if ctx.Err() != nil {
			return chat.Result{}, context.Cause(ctx)
		}
		one := f.readOne(t, path, maxFileBytes, args.Digest)
		if more := jsonSize(one) - jsonSize(out[i]); more <= left {
			out[i], left = one, left-more
		}
	}
	return chat.Success(out), nil
}

// noRoomText replaces the content of a file that does not fit into the result.
const noRoomText = "Error reading file: it does not fit into the result"

// jsonSize returns the size of a value in a result, in bytes.
func jsonSize(v any) int64 { return int64(len(chat.Success(v).Data)) }

// readResolved reads the file that a path resolved to at approval, or resolves to now if there was no approval.
func (f files) readResolved(t task, path string, limit int64) ([]byte, error) {
	if clean, err := fileroot.Clean(path); err == nil && t.resolved[clean] != "" {
		return f.root.ReadResolved(t.resolved[clean], limit)
	}
	return f.root.Read(path, limit)
}

func (f files) readOne(t task, path string, limit int, digest bool) fileContent {
	content, err := f.readResolved(t, path, int64(limit))
	var refused *fileroot.PathError
	switch {
	case errors.As(err, &refused) && refused.Kind == fileroot.NotFound:
		return fileContent{Path: path, Content: "File not found: " + path}
	case errors.As(err, &refused):
		return fileContent{Path: path, Content: "Error reading file: " + refused.Reason}
	case err != nil:
		return fileContent{Path: path, Content: "Error reading file: " + err.Error()}
	case !utf8.Valid(content): // the result is JSON, so writing it back would change the file
		return fileContent{Path: path, Content: "Error reading file: it is not UTF-8 text"}
	}
	one := fileContent{Path: path, Content: f.hide(string(content)), Size: len(content)}
	if digest {
		one.Digest = fileroot.Digest(content)
	}
	return one
}

// put is file_put(path, content) (M4, M10).
func (f files) put(_ context.Context, t task) (chat.Result, error) {
	args, err := decodeStrict[struct {
		Path    string                `json:"path"`
		Content string                `json:"content"`
		IfMatch fileroot.Precondition `json:"ifMatch"`
	}](t.args)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "%v", err), nil
	}
	if f.root == nil {
		return noRootResult(), nil
	}
	err = f.root.Write(args.Path, []byte(args.Content), args.IfMatch)
	if err != nil && !(t.repeated && f.isAlreadyWritten(err, args.Path, args.Content)) {
		return pathFailure(err), nil
	}
	return chat.Success(struct {
		Path  string `json:"path"`
		Bytes int    `json:"bytes"`
	}{args.Path, len(args.Content)}), nil
}

// isAlreadyWritten reports whether a repeated call finds the content that it wrote the first time, which
// violates its own precondition.
func (f files) isAlreadyWritten(err error, path, content string) bool {
	var refused *fileroot.PathError
	if !errors.As(err, &refused) || refused.Kind != fileroot.Changed {
		return false
	}
	there, err := f.root.Read(path, int64(len(content)))
	return err == nil && string(there) == content
}

// pathFailure converts an error of package fileroot to a result.
func pathFailure(err error) chat.Result {
	code := chat.Failed
	var refused *fileroot.PathError
	if errors.As(err, &refused) {
		switch refused.Kind {
		case fileroot.Replaced:
			return chat.Failure(code, "%v%s", err, hasTakenEffect)
		case fileroot.NotFound:
			code = chat.NotFound
		case fileroot.Refused:
			code = chat.Denied
		case fileroot.TooLarge:
			code = chat.TooLarge
		case fileroot.NotRegular, fileroot.Changed: // the path does not name the expected regular file
			code = chat.Conflict
		}
	}
	return chat.Failure(code, "%v", err)
}
