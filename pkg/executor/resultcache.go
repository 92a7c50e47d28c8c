package executor

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"oneshot/pkg/chat"
)

// A ResultCache keeps successful results of reads.
type ResultCache struct {
	Store ResultStore
	// Scope identifies everything else that results depend on, besides the definition and the arguments: the root, the
	// policies and the credentials.
	Scope       string
	Definitions map[string]string // digests of the definitions, by the name of their tool
}

// A ResultStore stores results by key. Its methods may be called concurrently.
type ResultStore interface {
	// Get returns a result that is not older than maxAge, with its origin.
	Get(key string, maxAge time.Duration) (r chat.Result, ok bool)
	// Put stores the result of a call of the run. The store may delete it once it is older than maxAge, because no call with
	// the same definition uses it then. A failure to store it is not reported; Get then does not find it.
	Put(key, run string, r chat.Result, maxAge time.Duration)
}

// key returns the key of a call, "" if its results are not cached.
func (c *ResultCache) key(t task) string {
	if c == nil || t.def.Cache == 0 {
		return ""
	}
	h := sha256.New()
	for _, part := range []string{"1", c.Scope, c.Definitions[t.def.Name], t.def.Name, string(t.args), fmt.Sprint(t.maxResult)} {
		fmt.Fprintf(h, "%d:%s", len(part), part) // writing to a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}
