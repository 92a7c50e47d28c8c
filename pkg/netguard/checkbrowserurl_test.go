package netguard

import (
	"errors"
	"testing"
)

// Low: open_url hands a browser no address of this machine, its network or a cloud's metadata.
func TestCheckPage(t *testing.T) {
	allowed := []HostPort{{Host: "localhost", Port: 3000}, {Host: "127.0.0.2"}, {Host: "wiki.lan"}}
	for url, open := range map[string]bool{
		"https://example.com/": true, "http://example.com:8443/": true, "https://localhost.example.com/": true, "http://8.8.8.8/": true,
		"http://localhost:3000/": true, "http://LOCALHOST.:3000/": true, "http://127.0.0.2/": true, "https://wiki.lan/": true,
		"http://localhost/": false, "http://localhost:3001/": false, "http://a.localhost/": false, "http://LOCALHOST./": false, "http://router/": false,
		"http://printer.local/": false, "http://metadata.google.internal/computeMetadata/v1/": false, "http://nas.home.arpa/": false, "http://wiki.lan:81/": false,
		"http://127.0.0.1/": false, "http://127.0.0.2:8080/": false, "http://10.0.0.1/": false, "http://192.168.1.1/": false, "http://169.254.169.254/latest/": false,
		"http://100.100.100.200/": false, "http://168.63.129.16/": false, "http://0.0.0.0/": false, "http://[::1]/": false, "http://[::]/": false,
		"http://[::ffff:127.0.0.1]/": false, "http://[::ffff:7f00:1]/": false, "http://[64:ff9b::7f00:1]/": false, "http://[fd00:ec2::254]/": false, "http://[fe80::1]/": false,
	} {
		u, err := CheckURL(url)
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		err = CheckBrowserURL(u, allowed)
		if (err == nil) != open || err != nil && !errors.As(err, new(*RefusedError)) {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, odd := range []string{"http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/", "http://127.1/", "http://127.0.0.1./", "http://[fe80::1%25eth0]/", "http://\u2460\u2461\u2466.0.0.1/"} {
		if _, err := CheckURL(odd); err == nil {
			t.Errorf("%s has one meaning", odd)
		}
	}
}
