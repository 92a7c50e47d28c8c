package executor

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// charsets are the page encodings supported in addition to UTF-8, with their Content-Type names: the
// single-byte encodings of the WHATWG Encoding Standard, where Latin-1 and ASCII mean Windows-1252, and
// UTF-16. Tables for East Asian encodings would add 0.6 MB to the program.
var charsets = []struct {
	names    string
	encoding encoding.Encoding
}{
	{"iso-8859-1 iso8859-1 latin1 l1 us-ascii ascii windows-1252 cp1252", charmap.Windows1252},
	{"iso-8859-2 iso8859-2 latin2", charmap.ISO8859_2},
	{"iso-8859-3 iso8859-3 latin3", charmap.ISO8859_3},
	{"iso-8859-4 iso8859-4 latin4", charmap.ISO8859_4},
	{"iso-8859-5 iso8859-5 cyrillic", charmap.ISO8859_5},
	{"iso-8859-6 iso8859-6 arabic", charmap.ISO8859_6},
	{"iso-8859-7 iso8859-7 greek", charmap.ISO8859_7},
	{"iso-8859-8 iso8859-8 iso-8859-8-i hebrew", charmap.ISO8859_8},
	{"iso-8859-9 iso8859-9 latin5 windows-1254 cp1254", charmap.Windows1254},
	{"iso-8859-10 iso8859-10 latin6", charmap.ISO8859_10},
	{"iso-8859-11 iso8859-11 tis-620 windows-874", charmap.Windows874},
	{"iso-8859-13 iso8859-13", charmap.ISO8859_13},
	{"iso-8859-14 iso8859-14", charmap.ISO8859_14},
	{"iso-8859-15 iso8859-15 latin9 l9", charmap.ISO8859_15},
	{"iso-8859-16 iso8859-16", charmap.ISO8859_16},
	{"windows-1250 cp1250", charmap.Windows1250},
	{"windows-1251 cp1251", charmap.Windows1251},
	{"windows-1253 cp1253", charmap.Windows1253},
	{"windows-1255 cp1255", charmap.Windows1255},
	{"windows-1256 cp1256", charmap.Windows1256},
	{"windows-1257 cp1257", charmap.Windows1257},
	{"windows-1258 cp1258", charmap.Windows1258},
	{"koi8-r koi8", charmap.KOI8R},
	{"koi8-u", charmap.KOI8U},
	{"ibm866 cp866 866", charmap.CodePage866},
	{"macintosh mac x-mac-roman", charmap.Macintosh},
	{"x-mac-cyrillic x-mac-ukrainian", charmap.MacintoshCyrillic},
	{"utf-16 utf-16le", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)},
	{"utf-16be", unicode.UTF16(unicode.BigEndian, unicode.UseBOM)},
}

// decodeCharset converts bytes in a charset, by its Content-Type name, to UTF-8; invalid bytes become
// U+FFFD. It reports false for an unknown charset.
func decodeCharset(charset string, b []byte) (string, bool) {
	charset = strings.ToLower(charset)
	for _, c := range charsets {
		for name := range strings.FieldsSeq(c.names) {
			if name == charset {
				text, err := c.encoding.NewDecoder().Bytes(b)
				return string(text), err == nil
			}
		}
	}
	return "", false
}
