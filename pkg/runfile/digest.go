package runfile

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/go-json-experiment/json/jsontext"
)

// CallDigest identifies a call of a tool with its arguments, as "sha256:" and hexadecimal
// digits: the order of members, the spaces and the escapes of the JSON make no difference,
// and every digit of a number does.
func CallDigest(tool string, arguments []byte) string {
	name, _ := jsontext.AppendQuote(nil, tool) // bytes that are not UTF-8 count as U+FFFD
	doc := jsontext.Value(`{"tool":` + string(name) + `,"arguments":` + string(arguments) + `}`)
	// what is no JSON is hashed as it is
	_ = doc.Format(jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(false), jsontext.SpaceAfterColon(false),
		jsontext.SpaceAfterComma(false), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	sum := sha256.Sum256(doc)
	return "sha256:" + hex.EncodeToString(sum[:])
}
