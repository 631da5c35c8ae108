package hosted_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"infnet/backends"
)

// Without an API key, Bedrock's calls have AWS's signature: the server computes it again, over what arrived.
func TestSignature(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
	t.Setenv("AWS_SESSION_TOKEN", "AQoDYXdzEJrtheSessionToken")
	f := bedrockClaudeForm()
	s := serve(t, f)
	calls := 0
	signed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got := r.Header.Get("Authorization")
		again, err := http.NewRequest(r.Method, "http://"+r.Host+r.URL.EscapedPath(), strings.NewReader(string(body)))
		if err != nil {
			t.Error(err)
		}
		_, names, _ := strings.Cut(got, "SignedHeaders=")
		names, _, _ = strings.Cut(names, ",")
		for _, name := range strings.Split(names, ";") {
			if values := r.Header.Values(name); len(values) > 0 {
				again.Header[http.CanonicalHeaderKey(name)] = values
			}
		}
		again.ContentLength = int64(len(body))
		at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
		if err != nil {
			t.Error(err)
		}
		hash := sha256.Sum256(body)
		if err := v4.NewSigner().SignHTTP(t.Context(), aws.Credentials{AccessKeyID: "AKIAIOSFODNN7EXAMPLE",
			SecretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", SessionToken: "AQoDYXdzEJrtheSessionToken"},
			again, hex.EncodeToString(hash[:]), "bedrock", "us-east-1", at); err != nil {
			t.Error(err)
		}
		if want := again.Header.Get("Authorization"); got != want {
			t.Errorf("signature\n%s, want\n%s", got, want)
		}
		good := httptest.NewRecorder()
		r.Header.Set("Authorization", "Bearer "+secret)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		s.ServeHTTP(good, r)
		_, _ = w.Write(good.Body.Bytes())
	}))
	t.Cleanup(signed.Close)
	cfg := s.config(func(c *backends.HostedConfig) { c.URL, c.APIKey = signed.URL, "" })
	got, err := open(t, cfg).Answer(t.Context(), requests(cfg.Model, f.served)[:2])
	if err != nil || calls != 2 {
		t.Fatalf("%d calls, %v", calls, err)
	}
	for _, a := range got {
		if a.Failure != nil {
			t.Error(a.Failure)
		}
	}
}
