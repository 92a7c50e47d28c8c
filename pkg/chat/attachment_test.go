package chat

import (
	"encoding/json"
	"testing"
)

func TestNewAttachment(t *testing.T) {
	for content, want := range map[string]string{
		"\x89PNG\r\n\x1a\nabc":         PNG,
		"\xff\xd8\xffabc":              JPEG,
		"GIF89aabc":                    GIF,
		"GIF87aabc":                    GIF,
		"RIFF\x01\x02\x03\x04WEBPVP8 ": WebP,
		"%PDF-1.7":                     PDF,
		"RIFF\x01\x02\x03\x04WAVE":     "",
		"plain":                        "",
		"":                             "",
	} {
		a, ok := NewAttachment("x", []byte(content))
		if a.Type != want || ok != (want != "") || a.Bytes != len(content) {
			t.Errorf("%q: %q, %v, %d bytes", content, a.Type, ok, a.Bytes)
		}
	}
}

func TestAttachmentJSONHasNoData(t *testing.T) {
	a, _ := NewAttachment("x.pdf", []byte("%PDF-"))
	text, err := json.Marshal(Message{Role: User, Attachments: []Attachment{a}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"role":"user","content":"","attachments":[{"name":"x.pdf","type":"application/pdf","bytes":5,"sha256":"` +
		`38523c087796e5d5dd1cf9bad1fb026781a838dd9dd2cf8af58b9f6502a46778"}]}`
	if got := string(text); got != want {
		t.Errorf("got %s", got)
	}
}
