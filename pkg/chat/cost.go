package chat

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// USD is an amount of money in nano-dollars (1e-9 US dollars). In JSON it is a number of dollars, exact.
type USD int64

// NanosPerUSD is the number of nano-dollars in a dollar.
const NanosPerUSD = 1_000_000_000

// maxFraction is the number of digits after the point of an amount.
const maxFraction = 9

// ParseUSD reads an amount in dollars: digits, with a point and at most nine digits after it if need be.
func ParseUSD(text string) (USD, error) {
	whole, fraction, hasPoint := strings.Cut(text, ".")
	if !isDigits(whole) || hasPoint && !isDigits(fraction) || len(fraction) > maxFraction {
		return 0, fmt.Errorf("%q is not an amount in US dollars, such as 0.25 (at most %d digits after the point)", text, maxFraction)
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", maxFraction-len(fraction)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s dollars are more than %s", text, USD(math.MaxInt64))
	}
	return USD(n), nil
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// String returns the amount in dollars, exact and without trailing zeros.
func (u USD) String() string {
	sign, n := "", uint64(u)
	if u < 0 {
		sign, n = "-", -n
	}
	text := fmt.Sprintf("%s%d.%09d", sign, n/NanosPerUSD, n%NanosPerUSD)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// Add returns the sum of two amounts, at most the largest one.
func (u USD) Add(v USD) USD {
	if sum := u + v; u < 0 || v < 0 || sum >= 0 {
		return sum
	}
	return math.MaxInt64
}

// MarshalJSON returns the number of dollars.
func (u USD) MarshalJSON() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalJSON reads a number of dollars, as [ParseUSD] does.
func (u *USD) UnmarshalJSON(text []byte) (err error) {
	*u, err = ParseUSD(string(text))
	return err
}

// A Cost is the cost of requests, as far as it is known. The zero Cost is unknown. In JSON it is a number of US dollars, or
// null if it is unknown.
type Cost struct {
	Amount USD // of an unknown cost: its known part
	Known  bool
}

// Add returns the sum of two costs. It is known if both are.
func (c Cost) Add(d Cost) Cost { return Cost{c.Amount.Add(d.Amount), c.Known && d.Known} }

// MarshalJSON returns a number of dollars or null.
func (c Cost) MarshalJSON() ([]byte, error) {
	if !c.Known {
		return []byte("null"), nil
	}
	return c.Amount.MarshalJSON()
}

// UnmarshalJSON reads a number of dollars or null.
func (c *Cost) UnmarshalJSON(text []byte) error {
	*c = Cost{}
	if bytes.Equal(text, []byte("null")) {
		return nil
	}
	c.Known = true
	return c.Amount.UnmarshalJSON(text)
}

// A ModelUsage is the usage of one model.
type ModelUsage struct {
	Model    string `json:"model"`    // as PROVIDER/NAME; "" if unknown
	Requests int    `json:"requests"` // with a response, whole or broken off
	Usage    Usage  `json:"usage"`
	Cost     Cost   `json:"cost_usd"`
}
