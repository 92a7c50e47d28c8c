package policy

// An ahoCorasick automaton finds all occurrences of several non-empty texts in linear time.
type ahoCorasick struct {
	nodes []trieNode
	roots [256]int32 // the children of the root, by their byte
	texts []string
}

// A trieNode is a prefix of some of the texts. Nodes are indexes; 0 is the root, and none in next, first and other.
type trieNode struct {
	first, next int32 // child, and sibling
	fail        int32 // the longest end of it that is a beginning, too
	ends        int32 // one more than the index of the text that it is
	other       int32 // the nearest node along fail that is a text
	b           byte
}

func newAhoCorasick(texts []string) *ahoCorasick {
	f := &ahoCorasick{nodes: make([]trieNode, 1), texts: texts}
	for i, text := range texts {
		at := int32(0)
		for j := range len(text) {
			next := f.child(at, text[j])
			if next == 0 {
				next = int32(len(f.nodes))
				f.nodes = append(f.nodes, trieNode{b: text[j], next: f.nodes[at].first})
				f.nodes[at].first = next
				if at == 0 {
					f.roots[text[j]] = next
				}
			}
			at = next
		}
		f.nodes[at].ends = int32(i + 1)
	}
	f.linkFailures()
	return f
}

// child returns the child for a byte, 0 for none.
func (f *ahoCorasick) child(at int32, b byte) int32 {
	if at == 0 {
		return f.roots[b]
	}
	c := f.nodes[at].first
	for c != 0 && f.nodes[c].b != b {
		c = f.nodes[c].next
	}
	return c
}

// linkFailures sets the fail and other links, breadth first.
func (f *ahoCorasick) linkFailures() {
	todo := []int32{0}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for c := f.nodes[at].first; c != 0; c = f.nodes[c].next {
			if at != 0 {
				f.nodes[c].fail = f.step(f.nodes[at].fail, f.nodes[c].b)
			}
			fail := f.nodes[c].fail
			f.nodes[c].other = fail
			if f.nodes[fail].ends == 0 {
				f.nodes[c].other = f.nodes[fail].other
			}
			todo = append(todo, c)
		}
	}
}

// step returns the node after one more byte.
func (f *ahoCorasick) step(at int32, b byte) int32 {
	for {
		if next := f.child(at, b); next != 0 || at == 0 {
			return next
		}
		at = f.nodes[at].fail
	}
}

// findAll calls found with the index, start and end of each occurrence of a text.
func (f *ahoCorasick) findAll(in string, found func(text, from, to int)) {
	at := int32(0)
	for i := range len(in) {
		if at == 0 && f.roots[in[i]] == 0 { // most bytes
			continue
		}
		at = f.step(at, in[i])
		n := at
		if f.nodes[n].ends == 0 {
			n = f.nodes[n].other
		}
		for ; n != 0; n = f.nodes[n].other {
			text := int(f.nodes[n].ends) - 1
			found(text, i+1-len(f.texts[text]), i+1)
		}
	}
}
