package mend

import "encoding/json"

// A leaf is a value in a strict JSON text: a leaf or a branch.
type leaf struct {
	start, end int
	keyStart   int // of its key, if it is a member
	key        string
	parent     int // index, -1 for the root
	kids       []int
	node       *node
}

// tree returns the values of a strict JSON text, each behind the one it is in.
func tree(text string) []leaf {
	var list []leaf
	open := []int{}
	key, keyStart := "", -1
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case isBlank(c) || c == ',' || c == ':':
			i++
		case isCloser(c):
			i++
			list[open[len(open)-1]].end = i
			open = open[:len(open)-1]
		default:
			end := tokenEnd(text, i)
			if isMember(list, open, text) && keyStart < 0 {
				keyStart = i
				json.Unmarshal([]byte(text[i:end]), &key) // it is valid
				i = end
				break
			}
			v := leaf{start: i, end: end, keyStart: keyStart, key: key, parent: -1}
			if len(open) > 0 {
				v.parent = open[len(open)-1]
				list[v.parent].kids = append(list[v.parent].kids, len(list))
			}
			if c == '{' || c == '[' {
				open = append(open, len(list))
			}
			list = append(list, v)
			key, keyStart, i = "", -1, end
		}
	}
	return list
}

func isMember(list []leaf, open []int, text string) bool {
	return len(open) > 0 && text[list[open[len(open)-1]].start] == '{'
}

// tokenEnd returns the end of the token at an offset.
func tokenEnd(text string, i int) int {
	switch text[i] {
	case '{', '[':
		return i + 1
	case '"':
		for i++; text[i] != '"'; i++ {
			if text[i] == '\\' {
				i++
			}
		}
		return i + 1
	}
	for i < len(text) && !isBlank(text[i]) && !isCloser(text[i]) && text[i] != ',' {
		i++
	}
	return i
}
