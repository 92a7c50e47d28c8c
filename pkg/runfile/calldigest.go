package runfile

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/go-json-experiment/json/jsontext"
)

// CallDigest identifies a tool call with its arguments, as "sha256:" and hexadecimal digits. Member
// order, whitespace and JSON escapes make no difference; every digit of a number does.
func CallDigest(tool string, arguments []byte) string {
	name, _ := jsontext.AppendQuote(nil, tool) // invalid UTF-8 becomes U+FFFD
	doc := jsontext.Value(`{"tool":` + string(name) + `,"arguments":` + string(arguments) + `}`)
	// invalid JSON is hashed unchanged
	_ = doc.Format(jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(false), jsontext.SpaceAfterColon(false),
		jsontext.SpaceAfterComma(false), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	sum := sha256.Sum256(doc)
	return "sha256:" + hex.EncodeToString(sum[:])
}
