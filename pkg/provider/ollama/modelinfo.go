package ollama

import (
	"encoding/json"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"oneshot/pkg/provider/wire"
)

// CompleteURL completes an address like Ollama's own tools, which accept a host, a port, or both.
func CompleteURL(address *url.URL) *url.URL {
	u := *address
	hostname, port := u.Hostname(), u.Port()
	if hostname == "" || hostname == "0.0.0.0" {
		hostname = "127.0.0.1" // a listen address; clients connect to localhost
	}
	if port == "" {
		port = map[string]string{"http": "11434", "https": "443"}[u.Scheme]
	}
	u.Host = net.JoinHostPort(hostname, port)
	return &u
}

// parseModels parses the list of models.
func parseModels(body []byte) (out []wire.ModelInfo, err error) {
	var list api.ListResponse
	err = json.Unmarshal(body, &list)
	for _, m := range list.Models {
		out = append(out, wire.ModelInfo{Name: m.Name, SizeBytes: m.Size})
	}
	return out, err
}

// parseCapabilities parses the description of a model.
func parseCapabilities(body []byte) (wire.Capabilities, error) {
	var about api.ShowResponse
	if err := json.Unmarshal(body, &about); err != nil {
		return wire.Capabilities{}, err
	}
	can := func(c model.Capability) bool { return slices.Contains(about.Capabilities, c) }
	return wire.Capabilities{
		Known:         true,
		ContextLength: contextLength(about.ModelInfo),
		NumCtx:        numCtx(about.Parameters),
		Completion:    can(model.CapabilityCompletion) || len(about.Capabilities) == 0, // old servers list none
		Tools:         can(model.CapabilityTools),
		Vision:        can(model.CapabilityVision) || len(about.Capabilities) == 0,
		Thinking:      can(model.CapabilityThinking),
	}, nil
}

// contextLength returns the context length in a model's metadata, stored under the name of its architecture.
func contextLength(info map[string]any) int {
	family, _ := info["general.architecture"].(string)
	length, _ := info[family+".context_length"].(float64)
	return int(length)
}

// numCtx returns the context length in a model's settings, which are lines of name and value.
func numCtx(settings string) int {
	for line := range strings.Lines(settings) {
		if words := strings.Fields(line); len(words) == 2 && words[0] == "num_ctx" {
			n, err := strconv.Atoi(words[1])
			if err == nil && n > 0 {
				return n
			}
		}
	}
	return 0
}
