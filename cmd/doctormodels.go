package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
	"oneshot/pkg/schema"
)

// namedModelProbes returns a probe for each --model.
func (o *doctorOptions) namedModelProbes(s *settings) ([]probe, error) {
	if len(o.names) == 0 && s.needsSingleServer() {
		return nil, usagef("name the model with --model", "--base-url, --api-key, --api and --header need --model")
	}
	var probes []probe
	var served []string
	for _, name := range o.names {
		if isRecording(name) {
			probes = append(probes, probe{"model " + name, func(context.Context) check { return o.checkRecordedModel(name) }, func(err error) error { return err }})
		} else {
			served = append(served, name)
		}
	}
	places, err := s.endpoints(o.env, o.console, served, o.model.responder)
	if err != nil {
		return nil, err
	}
	for _, p := range places {
		look := func(ctx context.Context) check { return s.checkModel(ctx, p) }
		if err := s.authorize(o.env, o.console, &p); err != nil {
			look = func(context.Context) check { return failedCheck(err) }
		}
		probes = append(probes, probe{"model " + p.name, look, func(err error) error { return err }})
	}
	return probes, nil
}

// checkRecordedModel checks a recorded run that is used as a model.
func (o *doctorOptions) checkRecordedModel(name string) check {
	r, err := findRecording(o.env, name)
	if err == nil {
		err = r.load(o.env)
	}
	if err != nil {
		return failedCheck(err)
	}
	return check{Status: fine, Detail: "a recorded run, which needs no server", usable: true}
}

// localServerProbes returns probes of model servers on this machine.
func (o *doctorOptions) localServerProbes(s *settings) []probe {
	here := *s
	here.urls, here.keys = maps.Clone(s.urls), maps.Clone(s.keys)
	delete(here.urls, "") // it belongs to the named models
	if len(o.names) > 0 { // and so do these
		delete(here.keys, "")
		here.config.Header = nil
	}
	var probes []probe
	for _, preset := range provider.Presets() {
		if preset.NeedsKey {
			continue
		}
		probes = append(probes, probe{name: preset.Name, check: func(ctx context.Context) check {
			p := endpoint{provider: preset}
			if err := errors.Join(here.setURL(o.env, o.console, &p), here.authorize(o.env, o.console, &p)); err != nil {
				return failedCheck(err)
			}
			return here.checkServer(ctx, p)
		}})
	}
	return probes
}

// keys returns a probe for each vendor that checks whether a key is set, without contacting the vendor.
func (o *doctorOptions) keys() []probe {
	var probes []probe
	for _, p := range provider.Presets() {
		if !p.NeedsKey {
			continue
		}
		probes = append(probes, probe{name: p.Name, check: func(context.Context) check {
			for _, variable := range p.Keys {
				if o.env.Getenv(variable) != "" {
					return check{Status: fine, Detail: variable + " is set; --model checks it", usable: true}
				}
			}
			return check{Status: skipped, Detail: strings.Join(p.Keys, ", ") + " not set"}
		}})
	}
	return probes
}

// failedCheck returns a check that fails a run.
func failedCheck(err error) check {
	return check{Status: failed, Detail: err.Error(), Hint: hintOf(err), err: err}
}

// checkModel checks one model without generating text.
func (s *settings) checkModel(ctx context.Context, p endpoint) check {
	client := s.client(p, [32]byte{}, nil)
	if client.ReportsCapabilities() {
		can, err := client.Show(ctx)
		switch {
		case as[*provider.AuthError](err):
			return failedCheck(&hintedError{err, hintOfServer(err)})
		case err != nil:
			return failedCheck(err)
		case !can.Completion:
			return failedCheck(usagef("use another model", "model %s cannot generate text", p.name))
		}
		doc := newModelDoc(p.name, wire.ModelInfo{}, can)
		return check{Status: fine, Detail: "at " + p.address(), Models: []modelDoc{doc}}
	}
	list, err := client.List(ctx)
	if hasNoModelList(err) {
		return check{Status: warning, Detail: p.address() + " has no model list; the model is not checked"}
	}
	if err != nil {
		return failedCheck(&hintedError{err, hintOfServer(err)})
	}
	return p.checkListed(list)
}

// checkListed checks whether the server's list contains a model.
func (p endpoint) checkListed(list []wire.ModelInfo) check {
	var names []string
	for _, m := range list {
		names = append(names, strings.TrimPrefix(m.Name, "models/")) // Gemini's prefix
	}
	id := p.id
	if p.provider.Name == "openrouter" && !slices.Contains(names, id) {
		id, _, _ = strings.Cut(id, ":") // variants may not be listed
	}
	if !slices.Contains(names, id) {
		c := failedCheck(&provider.UnknownModelError{Name: p.id})
		c.Hint = cmp.Or(schema.DidYouMean(p.id, names), "it has "+shortList(names, 10))
		return c
	}
	detail := "listed by " + p.address()
	if len(p.provider.Keys) > 0 && p.provider.Name != "openrouter" && len(p.header) > 0 { // whose list is public
		detail += ", which accepted the key"
	}
	return check{Status: fine, Detail: detail}
}

// hasNoModelList reports whether a server has no model list.
func hasNoModelList(err error) bool {
	var status *provider.StatusError
	return as[*provider.UnknownModelError](err) || errors.As(err, &status) &&
		slices.Contains([]int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}, status.Status)
}

// checkServer lists the models of a server. An unreachable server is skipped, unless a flag or variable names it.
func (s *settings) checkServer(ctx context.Context, p endpoint) check {
	client := s.client(p, [32]byte{}, nil)
	list, err := client.List(ctx)
	switch {
	case isUnreachable(err) && p.url == nil:
		return check{Status: skipped, Detail: "no server at " + p.address()}
	case isUnreachable(err):
		return check{Status: warning, Detail: err.Error()} // it names the address
	case err != nil:
		return check{Status: warning, Detail: fmt.Sprintf("%s: %v", p.address(), err)}
	case len(list) == 0:
		return check{Status: warning, Detail: p.address() + " has no models", Hint: map[string]string{"ollama": "install one: ollama pull NAME"}[p.provider.Name]}
	}
	c := check{Status: fine, Detail: p.address()}
	c.Models, c.usable = s.describeModels(ctx, p, list)
	return c
}

// maxConcurrent is the number of concurrent requests about models.
const maxConcurrent = 8

// describeModels queries each model of a list, and reports whether any of them is usable.
func (s *settings) describeModels(ctx context.Context, p endpoint, list []wire.ModelInfo) ([]modelDoc, bool) {
	docs := make([]modelDoc, len(list))
	usable := make([]bool, len(list))
	places := make(chan struct{}, maxConcurrent)
	var all sync.WaitGroup
	for i, info := range list {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			of := p
			of.id = info.Name
			can, err := s.client(of, [32]byte{}, nil).Show(ctx)
			usable[i] = err == nil && (can.Completion || !can.Known)
			docs[i] = newModelDoc(p.provider.Name+"/"+info.Name, info, can)
		})
	}
	all.Wait()
	return docs, slices.Contains(usable, true)
}

// newModelDoc returns the description of a model.
func newModelDoc(name string, info wire.ModelInfo, can wire.Capabilities) modelDoc {
	doc := modelDoc{Name: name, SizeBytes: info.SizeBytes, Context: can.ContextLength}
	if can.Known {
		doc.Tools, doc.Thinking = &can.Tools, &can.Thinking
	}
	return doc
}

// address returns the URL of an endpoint, without credentials.
func (p endpoint) address() string {
	if p.url == nil {
		return p.provider.BaseURL
	}
	u := *p.url
	u.User = nil
	if u.Path == "/" {
		u.Path = ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// shortList joins the first n names.
func shortList(names []string, n int) string {
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > n:
		return strings.Join(names[:n], ", ") + fmt.Sprintf(" and %d more", len(names)-n)
	}
	return strings.Join(names, ", ")
}
