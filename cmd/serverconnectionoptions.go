package cmd

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"oneshot/pkg/dialect"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
)

// serverOptions are the flags about model servers.
type serverOptions struct {
	secrets   secretOptions
	api       string
	baseURLs  []string
	keys      []string
	headers   []string
	caFile    string
	proxy     string
	firstByte time.Duration
	idle      time.Duration
	urlsOf    string // the agent file that --base-url is from, or ""

	hasDefaultURLs bool // --base-url is from the environment or config.yaml: providers that are not used have no effect
}

// isGiven reports whether any flag about addresses or credentials is set.
func (o *serverOptions) isGiven() bool {
	return o.api != "" || o.caFile != "" || o.proxy != "" || len(o.baseURLs)+len(o.keys)+len(o.headers) > 0
}

// settings are the parsed server flags. URLs and keys are mapped by provider; those without a provider have the key "".
type settings struct {
	config   provider.Config // shared by all clients
	protocol *wire.Protocol  // by --api; nil for the provider's
	urls     map[string]*url.URL
	keys     map[string]apiKey
	sent     []headerSecrets // with each request, by --header
	urlsOf   string          // see serverOptions

	hasDefaultURLs bool // see serverOptions

	secrets  secretStore
	resolved *resolution
}

// An apiKey is a key and the secrets it contains.
type apiKey struct {
	value string
	used  []credential
}

// A headerSecrets holds the secrets of a flag that is sent to every server.
type headerSecrets struct {
	flag string
	used []credential
}

// read parses the flags. It contacts no server.
func (o *serverOptions) read(env Env, t *console, secrets secretStore, resolved *resolution) (*settings, error) {
	if strings.Contains(env.Getenv("GODEBUG"), "http2debug") {
		return nil, usagef("unset GODEBUG", "GODEBUG=http2debug prints request headers, including keys")
	}
	if o.firstByte <= 0 {
		return nil, usagef("", "--first-byte-timeout must be greater than 0, got %v", o.firstByte)
	}
	if o.idle <= 0 {
		return nil, usagef("", "--idle-timeout must be greater than 0, got %v", o.idle)
	}
	s := &settings{
		config:   provider.Config{FirstByte: o.firstByte, Idle: o.idle, Sanitize: t.sanitizeForModel},
		protocol: provider.ProtocolOf(o.api), urls: map[string]*url.URL{}, keys: map[string]apiKey{}, secrets: secrets, resolved: resolved, urlsOf: o.urlsOf, hasDefaultURLs: o.hasDefaultURLs,
	}
	var err error
	if s.config.Header, err = o.header(env, t, s); err != nil {
		return nil, err
	}
	if s.config.RootCAs, err = o.roots(); err != nil {
		return nil, err
	}
	if s.config.Proxy, err = o.proxyURL(t); err != nil {
		return nil, err
	}
	if err := o.readURLs(t, s); err != nil {
		return nil, err
	}
	return s, o.readKeys(env, t, s)
}

// sanitizeForModel makes a text of one model safe for another: secrets are masked and markers of calls and roles inert.
func (t *console) sanitizeForModel(text string) string {
	return dialect.NeutraliseText(t.secrets.Hide(text))
}

// readURLs reads --base-url.
func (o *serverOptions) readURLs(t *console, s *settings) error {
	for _, value := range o.baseURLs {
		provider, raw := cutProvider(value)
		if s.urls[provider] != nil {
			return usagef("give it once per provider", "--base-url is given twice for one server")
		}
		u, err := serverURL("--base-url", raw)
		if err != nil {
			return err
		}
		t.hideURL("--base-url", u)
		s.urls[provider] = u
	}
	return nil
}

// readKeys reads --api-key.
func (o *serverOptions) readKeys(env Env, t *console, s *settings) error {
	for _, value := range o.keys {
		provider, raw := cutProvider(value)
		key, used, err := s.secrets.expand(env, t, "--api-key", raw)
		switch {
		case err != nil:
			return err
		case len(used) == 0:
			return usagef("use --api-key '${secret:NAME}', where NAME is an environment variable or a --secret", "--api-key: never put keys on the command line")
		case s.keys[provider].value != "":
			return usagef("give it once per provider", "--api-key is given twice for one server")
		}
		s.keys[provider] = apiKey{key, used}
	}
	return nil
}

// cutProvider splits PROVIDER=VALUE. The provider may be missing.
func cutProvider(value string) (name, rest string) {
	name, rest, ok := strings.Cut(value, "=")
	if _, known := provider.PresetNamed(name); ok && known {
		return name, rest
	}
	return "", value
}

// serverURL parses the URL of a server. The default scheme is http.
func serverURL(from, raw string) (*url.URL, error) {
	raw = strings.TrimSpace(raw)
	if !strings.Contains(raw, "://") {
		raw = "http://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, usagef("for example http://127.0.0.1:11434", "%s: invalid server URL %q", from, maskUserInfo(raw))
	}
	return u, checkASCIIHost(from, u)
}

// proxyURL reads --proxy.
func (o *serverOptions) proxyURL(t *console) (*url.URL, error) {
	if o.proxy == "" {
		return nil, nil
	}
	u, err := url.Parse(o.proxy)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) {
		return nil, usagef("for example --proxy http://proxy.example.org:3128", "--proxy: invalid proxy URL %q", maskUserInfo(o.proxy))
	}
	t.hideURL("--proxy", u)
	return u, checkASCIIHost("--proxy", u)
}

// checkASCIIHost refuses non-ASCII hosts, which other programs may interpret differently.
func checkASCIIHost(from string, u *url.URL) error {
	if strings.ContainsFunc(u.Host, func(r rune) bool { return r > unicode.MaxASCII }) {
		return usagef("write it as xn--…", "%s: non-ASCII host %q", from, u.Hostname())
	}
	return nil
}

// roots returns the trusted CA certificates, or nil for those of the system.
func (o *serverOptions) roots() (*x509.CertPool, error) {
	if o.caFile == "" {
		return nil, nil
	}
	pem, err := readFlag("--ca-file", o.caFile)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // the system has none
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, &inputError{fmt.Errorf("--ca-file: %s contains no PEM certificate", o.caFile)}
	}
	return pool, nil
}

// header reads --header.
func (o *serverOptions) header(env Env, t *console, s *settings) (http.Header, error) {
	header := http.Header{}
	for _, h := range o.headers {
		name, raw, ok := strings.Cut(h, "=")
		canonical := http.CanonicalHeaderKey(name)
		if !ok || !isHeaderName(name) || slices.Contains(ownHeaders, canonical) {
			shown := name[:len(name)-len(strings.TrimLeftFunc(name, isHeaderRune))] // the rest may be a credential
			return nil, usagef("for example --header X-Team=docs", "--header: %q is not K=V with a settable header name", shown)
		}
		value, used, err := s.secrets.expand(env, t, "--header "+name, raw)
		switch {
		case err != nil:
			return nil, err
		case len(used) == 0 && slices.Contains(provider.CredentialHeaders(), canonical):
			return nil, usagef("use --header '"+name+"=${secret:NAME}', where NAME is an environment variable or a --secret",
				"--header %s: never put credentials on the command line", name)
		case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
			return nil, usagef("", "--header %s: the value contains a control character", name)
		}
		header.Add(canonical, value)
		s.sent = append(s.sent, headerSecrets{"--header " + name, used})
	}
	return header, nil
}

// ownHeaders belong to the connection and cannot be set.
var ownHeaders = []string{"Host", "Content-Length", "Transfer-Encoding", "Connection", "Trailer", "Upgrade", "Te"}

// isHeaderName reports whether a name is a token of RFC 9110.
func isHeaderName(name string) bool {
	return name != "" && strings.TrimLeftFunc(name, isHeaderRune) == ""
}

func isHeaderRune(r rune) bool { return isWord(r) || strings.ContainsRune("!#$%&'*+-.^`|~", r) }
