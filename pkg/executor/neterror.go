package executor

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/netguard"
)

// netFailure returns the result for a request without a response.
func netFailure(err error) chat.Result {
	var refused *netguard.RefusedError
	if errors.As(err, &refused) && refused.NotAllowed {
		return chat.Failure(chat.Denied, "%v; allow it with --allow-host", refused)
	}
	if errors.As(err, &refused) {
		return chat.Failure(chat.Denied, "%v", refused)
	}
	var packed *netguard.EncodingError
	if errors.As(err, &packed) {
		return chat.Failure(chat.Failed, "%v", packed)
	}
	return chat.Failure(chat.Unavailable, "%s", withoutLocalAddresses(err))
}

// withoutLocalAddresses returns the text of an error without addresses of this machine and its name servers,
// which are useless to a model.
func withoutLocalAddresses(err error) string {
	text := err.Error()
	var lookup *net.DNSError
	if errors.As(err, &lookup) {
		why := "the name " + lookup.Name + " cannot be resolved"
		switch {
		case lookup.IsNotFound:
			why += ": no such host"
		case lookup.IsTimeout:
			why += ": no answer in time"
		}
		return why
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Source != nil {
		text = strings.ReplaceAll(text, op.Source.String()+"->", "")
	}
	return text
}

// statusFailure returns the result for a failure status.
func statusFailure(status int, text string) chat.Result {
	message := fmt.Sprintf("HTTP %d %s", status, http.StatusText(status))
	if text = excerpt(text); text != "" {
		message += ": " + text
	}
	return chat.Failure(statusCode(status), "%s", message)
}

func statusCode(status int) chat.ErrorCode {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return chat.Unauthorized
	case http.StatusNotFound, http.StatusGone:
		return chat.NotFound
	case http.StatusConflict, http.StatusPreconditionFailed, http.StatusLocked:
		return chat.Conflict
	case http.StatusRequestEntityTooLarge, http.StatusRequestURITooLong:
		return chat.TooLarge
	case http.StatusTooManyRequests:
		return chat.RateLimited
	case http.StatusRequestTimeout, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return chat.Unavailable
	}
	return chat.Failed
}
