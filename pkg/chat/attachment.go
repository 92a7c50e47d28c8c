package chat

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// The media types of attachments.
const (
	PNG  = "image/png"
	JPEG = "image/jpeg"
	GIF  = "image/gif"
	WebP = "image/webp"
	PDF  = "application/pdf"
)

// An Attachment is an image or a document that belongs to a user message. Its JSON identifies the data without holding
// it.
type Attachment struct {
	Name   string `json:"name"`
	Type   string `json:"type"` // media type
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"` // of Data, in hexadecimal digits
	Data   []byte `json:"-"`
}

// NewAttachment returns an attachment with the media type of its content; ok is false if the content is of no known type.
func NewAttachment(name string, data []byte) (a Attachment, ok bool) {
	sum := sha256.Sum256(data)
	a = Attachment{Name: name, Type: mediaType(data), Bytes: len(data), SHA256: hex.EncodeToString(sum[:]), Data: data}
	return a, a.Type != ""
}

// IsImage reports whether the attachment is an image.
func (a Attachment) IsImage() bool { return strings.HasPrefix(a.Type, "image/") }

// mediaType returns the type of content by its first bytes, or "".
func mediaType(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return PNG
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return JPEG
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		return GIF
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return WebP
	case bytes.HasPrefix(data, []byte("%PDF-")):
		return PDF
	}
	return ""
}
