package agent

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/dialect/echo"
	"oneshot/pkg/policy"
)

// untrustedData is the data that a run has read: its input and the results of tools. The run looks there
// for calls and URLs that a third party may have injected.
type untrustedData struct {
	seen      echo.SeenText   // the input and the results of tools
	seenInput echo.SeenText   // the input alone
	links     map[string]bool // URLs in the data; nil if the run read none
}

// newUntrustedData returns the data of a run before its first result. A trusted input counts as the
// user's own words.
func newUntrustedData(cfg Config) untrustedData {
	var d untrustedData
	if cfg.Input != "" || len(cfg.Attachments) > 0 {
		d.addLinks(cfg.Input)
	}
	for _, seen := range []*echo.SeenText{&d.seenInput, &d.seen} {
		seen.AddUserText(cfg.Prompt)
		switch {
		case cfg.TrustInput:
			seen.AddUserText(cfg.Input)
		case cfg.Input != "":
			seen.Add([]byte(cfg.Input))
		}
	}
	return d
}

// addResult adds the encoded result of a call with the arguments of the model.
func (d *untrustedData) addResult(tool string, args, envelope []byte) {
	d.seen.AddResult(tool, args, envelope)
	d.addLinks(decodedStrings(envelope))
}

// denyEchoed denies a call that is spelled out in untrusted data. It returns any other decision
// unchanged.
func (d *untrustedData) denyEchoed(call echo.Candidate, otherwise policy.Decision) policy.Decision {
	denied := policy.Decision{Verdict: policy.Deny, Rule: "floor:echo"}
	switch {
	case d.seenInput.IsEcho(call):
		denied.Why = "the input contains this call, and instructions in the input are not followed"
		denied.Hint = "use --trust-input if you wrote the input yourself"
	case d.seen.IsEcho(call):
		denied.Why = "an earlier result contains this call, and instructions in results are not followed"
	default:
		return otherwise
	}
	return denied
}

// addLinks remembers the URLs in data that the run has read.
func (d *untrustedData) addLinks(text string) {
	if d.links == nil {
		d.links = map[string]bool{}
	}
	for link := range findLinks(text) {
		d.links[link] = true
	}
}

// unknownLinks returns the URLs in a text that occur in no result and no input and whose host does
// not occur in the trusted text: at most that many, each once. A run that has read no data needs no
// check: no third party could have injected a URL.
func (d *untrustedData) unknownLinks(text, trusted string, most int) (links []string) {
	if d.links == nil {
		return nil
	}
	trusted = strings.ToLower(trusted)
	known := map[string]bool{} // by host
	for link := range findLinks(text) {
		host := hostOf(link)
		if _, asked := known[host]; !asked {
			known[host] = mentionsHost(trusted, host)
		}
		if d.links[link] || known[host] {
			continue
		}
		if len(links) == most {
			break
		}
		d.links[link] = true
		links = append(links, link)
	}
	return links
}

// decodedStrings returns all decoded strings of a JSON text, one per line.
func decodedStrings(text []byte) string {
	var b strings.Builder
	dec := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	for token, err := dec.ReadToken(); err == nil; token, err = dec.ReadToken() {
		if token.Kind() == '"' {
			b.WriteString(token.String() + "\n")
		}
	}
	return b.String()
}
