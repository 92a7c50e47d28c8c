package jsonrepair

import (
	"encoding/json"
	"math/big"
	"strings"
)

// readBare reads a value without quotes: a number, a word, or text, which becomes a string.
func (r *reader) readBare() {
	r.beginItem()
	start := r.at
	end, next := r.bareEnd()
	if end == start { // the next character cannot be text
		end = r.runeEnd(start)
		next = end
	}
	r.repairUnquotedValue(start, end)
	r.edit(end, next, "", false) // a closing quote without an opening one
	r.at = next
	r.endItem(end)
}

// repairUnquotedValue edits a value without quotes.
func (r *reader) repairUnquotedValue(start, end int) {
	token := r.text[start:end]
	if isNumber(token) {
		return
	}
	value, safe := jsonWord(token)
	if value == "" && end == r.end && r.top() != nil {
		value = completeWord(token)
	}
	if value == "" {
		value, safe = jsonNumber(token)
	}
	if value == "" {
		r.quoteText(start, end, false)
	} else if value != token {
		r.edit(start, end, value, safe)
	}
}

// bareEnd returns the end of text without quotes, and the end including a closing
// quote. Brackets that are closed belong to the text. A number or word ends in front of
// a blank if another item follows without a comma.
func (r *reader) bareEnd() (end, next int) {
	i := r.at
	for ; i < r.end; i++ {
		c := r.text[i]
		bracket := c == '{' || c == '['
		r.steps++
		if (bracket || c == '\\' || c == ' ' || c == '\t') && isScalar(r.text[r.at:i]) && (c != ' ' && c != '\t' || r.isItemNext(i)) {
			break
		}
		if c == '(' || bracket && i > r.at {
			if k := r.matchingBracket(i); k > i {
				i = k
				continue
			}
		}
		if bracket || r.isBareEnd(i) {
			break
		}
		if m := r.quoteAt(i); m.width > 0 && m.char != '\'' && m.char != '`' {
			begins, ends := r.classifyMark(i, m.width)
			if ends {
				return r.skipBack(i, r.at), i + m.width
			} else if begins {
				break
			}
		}
	}
	end = r.skipBack(i, r.at)
	return end, end
}

// isItemNext reports whether an item of an array or a key follows at an offset.
func (r *reader) isItemNext(i int) bool {
	f := r.top()
	return f != nil && (!f.object || r.isKeyAt(r.blanksEnd(i)))
}

// isBareEnd reports whether a delimiter, comment or fence ends text without quotes.
// In an object, text continues after a comma or line end unless a key or bracket follows.
func (r *reader) isBareEnd(i int) bool {
	f, c := r.top(), r.text[i]
	comma := r.commaLen(i)
	switch {
	case f == nil:
		return comma > 0 && r.blanksEnd(i+comma) >= r.end
	case isCloser(c):
		return true
	case comma > 0 && (!f.object || f.missing):
		return true
	case comma > 0:
		k := r.blanksEnd(i + comma)
		return isScalar(r.text[r.at:i]) || r.isItemEnd(k) || r.isKeyAt(k) || r.isQuoteAt(k) || strings.IndexByte("{[.", r.text[k]) >= 0
	case i == r.at:
		return false
	case c == '\n' && f.object:
		k := r.blanksEnd(i)
		return r.isItemEnd(k) || r.isKeyAt(k) || r.fenceLen(k) > 0 || isScalar(r.text[r.at:r.skipBack(i, r.at)])
	case c == '\n' || strings.HasPrefix(r.text[i:r.end], "/*") || strings.HasPrefix(r.text[i:r.end], "```"):
		return true
	}
	return isBlank(r.text[i-1]) && (c == '#' || strings.HasPrefix(r.text[i:r.end], "//"))
}

// classifyMark decides about a quotation mark in text without quotes: it begins the
// next key or item, it closes the text, or it belongs to it.
func (r *reader) classifyMark(i, width int) (begins, ends bool) {
	f := r.top()
	k := r.blanksEnd(i + width)
	switch {
	case f == nil:
		return false, k >= r.end
	case f.object && i > r.at && r.isKeyAt(i):
		return true, false
	case r.isItemEnd(k):
		return false, true
	}
	return !f.object && i > r.at && isBlank(r.text[i-1]), false
}

// jsonWord returns the JSON form of a word of JSON or of another language, "" if there is
// none.
func jsonWord(text string) (json string, safe bool) {
	switch text {
	case "true", "false", "null":
		return text, true
	case "True", "TRUE", "False", "FALSE":
		return strings.ToLower(text), true
	case "None", "Null", "NULL":
		return "null", true
	case "NONE", "undefined", "nil", "NaN", "nan", "+NaN", "-NaN", "Infinity", "+Infinity", "-Infinity", "inf", "-inf":
		return "null", false
	}
	return "", false
}

// isScalar reports whether a text is a number, or a word of JSON or of another
// language.
func isScalar(text string) bool {
	word, _ := jsonWord(text)
	return word != "" || len(text) <= 64 && isNumber(text) // prefixes of a long text are tried
}

// completeWord returns the JSON form of a word that begins with a text, ignoring case, "" if
// there is none.
func completeWord(text string) string {
	for _, word := range [...]string{"true", "false", "null", "none"} {
		if text != "" && strings.HasPrefix(word, strings.ToLower(text)) {
			return strings.Replace(word, "none", "null", 1)
		}
	}
	return ""
}

// isNumber reports whether a text is a number of JSON.
func isNumber(text string) bool {
	n := len(text)
	return n > 0 && isDigit(text[n-1]) && (isDigit(text[0]) || text[0] == '-') && json.Valid([]byte(text))
}

// jsonNumber returns the JSON number for a number in another notation, "" if there is
// none. A number with leading zeros has none: it can be octal, or not a number at all.
func jsonNumber(text string) (number string, safe bool) {
	rest := strings.TrimPrefix(strings.TrimPrefix(text, "+"), "-")
	sign := strings.TrimPrefix(text[:len(text)-len(rest)], "+")
	switch {
	case text == "-":
		return "-0", false // the text or the item ends behind it
	case rest == "" || rest[0] != '.' && !isDigit(rest[0]) || len(rest) > 64 || sign+rest != text && "+"+rest != text,
		strings.HasSuffix(rest, "_") || strings.Contains(rest, "__"):
		return "", false
	case rest[0] == '.' && len(rest) > 1:
		rest = "0" + rest
	}
	rest = strings.TrimSuffix(strings.ReplaceAll(rest, "_", ""), "n")
	if len(rest) > 2 && rest[0] == '0' && strings.IndexByte("xXoObB", rest[1]) >= 0 {
		if n, ok := new(big.Int).SetString(rest, 0); ok {
			return sign + n.String(), true
		}
	}
	rest = strings.Replace(rest, ".e", ".0e", 1)
	switch {
	case isNumber(sign + rest):
		return sign + rest, true
	case isNumber(sign + rest + "0"):
		return sign + rest + "0", strings.HasSuffix(rest, ".")
	}
	return "", false
}
