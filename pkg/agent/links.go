package agent

import (
	"iter"
	"strings"

	"oneshot/pkg/diag"
)

// An answer is often shown by something that fetches what it links to, such as the picture of
// a text in Markdown. Who can make a model write an address can have data carried away by
// that. The program fetches nothing, and says which addresses nobody gave to the run.

// mostLinks is how many addresses of an answer are reported.
const mostLinks = 10

// longestLink is how much of one is shown.
const longestLink = 120

// recordLinks keeps the addresses in data that the run was given.
func (r *run) recordLinks(text string) {
	if r.links == nil {
		r.links = map[string]bool{}
	}
	for link := range links(text) {
		r.links[link] = true
	}
}

// reportUnknownLinks reports addresses in the answer that stand in no result and no input, on hosts
// estimate which neither the user nor a definition speaks. Where a run has read nothing there is nobody
// who could have asked for them.
func (r *run) reportUnknownLinks() {
	if r.links == nil {
		return
	}
	trusted, known, found := strings.ToLower(r.trustedText()), map[string]bool{}, 0
	for link := range links(decodedStrings(r.out.Answer)) {
		host := hostOf(link)
		if _, asked := known[host]; !asked {
			known[host] = mentions(trusted, host)
		}
		if r.links[link] || known[host] {
			continue
		}
		if found++; found > mostLinks {
			break
		}
		r.links[link] = true // it is said once
		r.reportTolerated(diag.StrangeLink, string(r.out.Answer), link[:min(len(link), longestLink)],
			"the answer links to "+truncateLink(link)+", which stands in nothing that the run has read; who shows the answer should not fetch it")
	}
}

func truncateLink(link string) string {
	if len(link) > longestLink {
		return strings.ToValidUTF8(link[:longestLink], "") + "…"
	}
	return link
}

// trustedText returns what the user and the definitions say.
func (r *run) trustedText() string {
	all := []string{r.cfg.System, r.cfg.Prompt, r.cfg.Format, string(r.answers.Raw())}
	for _, def := range r.defs {
		all = append(all, def.Description, string(def.Schema))
	}
	return strings.Join(all, "\n")
}

// links returns the addresses in a text: what stands behind a scheme and "://", and what
// begins with "//" where Markdown or HTML would take it for one.
func links(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := 0; ; {
			i := strings.Index(text[at:], "//")
			if i < 0 {
				return
			}
			begin := at + i
			if begin > 0 && text[begin-1] == ':' {
				begin = schemeBefore(text[:begin-1])
			}
			end := linkEnd(text, at+i+2)
			relative := begin == at+i && (begin == 0 || !strings.ContainsRune(`("'=<`, rune(text[begin-1])))
			at = max(end, at+i+2)
			if link := strings.TrimRight(text[begin:end], ".,;:!?*_"); !relative && hostOf(link) != "" && !yield(link) {
				return
			}
		}
	}
}

// schemeBefore returns where the scheme begins that ends a text.
func schemeBefore(text string) int {
	i := len(text)
	for i > 0 && (isLetterOrDigit(text[i-1]) || strings.IndexByte("+-.", text[i-1]) >= 0) {
		i--
	}
	return i
}

// linkEnd returns where an address ends whose host begins at an offset: at what cannot
// stand in one, and at a bracket that closes one before it.
func linkEnd(text string, from int) int {
	open := 0
	for i := from; i < len(text); i++ {
		switch c := text[i]; {
		case c <= ' ' || c == 0x7f || strings.IndexByte("\"'<>`", c) >= 0:
			return i
		case c == '(':
			open++
		case c == ')':
			if open--; open < 0 {
				return i
			}
		}
	}
	return len(text)
}

// hostOf returns the host of an address, in small letters, without its port; "" if it has none.
func hostOf(link string) string {
	_, rest, _ := strings.Cut(link, "//")
	rest = strings.ReplaceAll(rest, `\`, "/") // which browsers do
	rest, _, _ = strings.Cut(rest, "/")
	rest, _, _ = strings.Cut(rest, "?")
	rest, _, _ = strings.Cut(rest, "#")
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	if !strings.HasPrefix(rest, "[") {
		rest, _, _ = strings.Cut(rest, ":")
	}
	return strings.ToLower(strings.TrimSuffix(rest, "."))
}

// mentions reports whether a text, in small letters, speaks of a host: of all of its name.
func mentions(text, host string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], host)
		if i < 0 {
			return false
		}
		begin, end := at+i, at+i+len(host)
		before := begin > 0 && (isLetterOrDigit(text[begin-1]) || strings.IndexByte("-._", text[begin-1]) >= 0)
		behind := end < len(text) && (isLetterOrDigit(text[end]) || text[end] == '-') || end+1 < len(text) && text[end] == '.' && isLetterOrDigit(text[end+1])
		if !before && !behind {
			return true
		}
		at = end
	}
}

func isLetterOrDigit(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c >= 0x80
}
