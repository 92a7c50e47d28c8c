package cmd

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/provider"
	"oneshot/pkg/quote"
)

// A requestDoc is the request that --dry-run prints: the first one of a run, or that of a tool.
type requestDoc struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body,omitempty"`
	// Programs is the confinement of programs: see [programsDoc].
	Programs json.RawMessage `json:"programs,omitempty"`
	Managed  *managedDoc     `json:"managed_policy,omitempty"`
}

// drySeed returns the seed of a dry run, a digest of its texts: the request is reproducible, and no text can contain its
// own boundary.
func drySeed(texts promptTexts) [sha256.Size]byte {
	return sha256.Sum256([]byte(digest(texts.system, texts.prompt, texts.input)))
}

// checkOrPrintFirstRequest builds the first request without sending it, to find errors early. A dry run prints it.
func (p *runPlan) checkOrPrintFirstRequest() error {
	if p.recorded.replay != nil {
		if p.flags.dryRun {
			return usagef("use the model of a server", "--dry-run: a replay sends no request")
		}
		return nil
	}
	req, err := p.config.FirstRequest()
	if err != nil {
		return err
	}
	first, err := p.models.compose(req)
	if err != nil || !p.flags.dryRun {
		return err
	}
	first.Body = elideAttachments(first.Body, p.config.Attachments)
	p.console.delivered.Store(true) // the request replaces the envelope that an agent file may ask for
	return p.console.printRequest(first, p.programs, p.managed)
}

// printRequest prints a request, the confinement of programs and the managed policy as one JSON document. Invisible
// characters of the body are escaped.
func (t *console) printRequest(r provider.HTTPRequest, c *confined, m *managedPolicy) error {
	doc, err := quote.Encode(requestDoc{r.Method, r.URL, joinHeaders(r.Header), r.Body, c.doc(), m.doc()})
	if err != nil {
		return err
	}
	return t.writeOutput(append(diag.EscapeInvisibleJSON(t.secrets.HideJSON(doc)), '\n'))
}

// joinHeaders returns headers with one value for each name.
func joinHeaders(h http.Header) map[string]string {
	out := make(map[string]string, len(h))
	for name, values := range h {
		out[name] = strings.Join(values, ", ")
	}
	return out
}
