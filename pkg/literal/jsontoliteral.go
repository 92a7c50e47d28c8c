package literal

import (
	"strings"
)

// AppendPython appends a value, given as valid JSON, as a Python literal that [NewPython] reads
// back as the same value.
func AppendPython(b []byte, json []byte) []byte {
	for i := 0; i < len(json); {
		token := nextToken(json[i:])
		i += len(token)
		switch c := token[0]; {
		case c == '"':
			b = appendJSONString(b, unquote(token))
		case c == ',' || c == ':':
			b = append(b, c, ' ')
		case pythonWords[string(token)] != "":
			b = append(b, pythonWords[string(token)]...)
		case !isJSONBlank(c):
			b = append(b, token...)
		}
	}
	return b
}

// AppendDelimited appends a value, given as valid JSON, in the form that [NewDelimited] reads
// back as the same value: unquoted keys and strings between delimiters. A key with special
// characters and a string that contains the delimiter are quoted as in JSON.
func AppendDelimited(b []byte, json []byte, delimiter string) []byte {
	for i := 0; i < len(json); {
		token := nextToken(json[i:])
		i += len(token)
		switch {
		case token[0] == '"' && isFollowedByColon(json[i:]):
			b = appendBareOrQuotedKey(b, unquote(token), delimiter)
		case token[0] == '"':
			b = appendDelimitedString(b, unquote(token), delimiter)
		case !isJSONBlank(token[0]):
			b = append(b, token...)
		}
	}
	return b
}

// nextToken returns the JSON token, or whitespace byte, at the start of a text.
func nextToken(json []byte) []byte {
	n := 1
	switch c := json[0]; {
	case c == '"':
		for n < len(json) && json[n] != '"' {
			if json[n] == '\\' {
				n++
			}
			n++
		}
		n++
	case isNumberByte(c) || canBeginWord(c):
		for n < len(json) && (isNumberByte(json[n]) || isNameByte(json[n])) {
			n++
		}
	}
	return json[:min(n, len(json))]
}

func isNumberByte(c byte) bool { return isDigit(c) || c == '-' || c == '+' || c == '.' }

// isFollowedByColon reports whether the string before rest is a key.
func isFollowedByColon(rest []byte) bool {
	for _, c := range rest {
		if !isJSONBlank(c) {
			return c == ':'
		}
	}
	return false
}

func appendBareOrQuotedKey(b []byte, key, delimiter string) []byte {
	bare := key != "" && strings.IndexByte(key, delimiter[0]) < 0
	for i := 0; i < len(key); i++ {
		bare = bare && isBareKeyByte(key[i])
	}
	if bare {
		return append(b, key...)
	}
	return appendJSONString(b, key)
}

func appendDelimitedString(b []byte, text, delimiter string) []byte {
	if strings.Index(text+delimiter, delimiter) == len(text) {
		return append(append(append(b, delimiter...), text...), delimiter...)
	}
	from := len(b)
	quoted := string(appendJSONString(b, text)[from:])
	if delimiter[0] < ' ' || isNonASCII(delimiter[0]) || delimiter[0] == '"' || delimiter[0] == '\\' {
		return append(b, quoted...)
	}
	const hex = "0123456789abcdef"
	escape := `\u00` + string([]byte{hex[delimiter[0]>>4], hex[delimiter[0]&15]})
	return append(b, strings.ReplaceAll(quoted, delimiter[:1], escape)...)
}

// pythonWords maps the words of JSON to those of Python.
var pythonWords = map[string]string{"true": "True", "false": "False", "null": "None"}
