interface Signing {
  url: string;
  /** True when the trigger requires Standard Webhooks, whose signatures contain a time. */
  isTimed: boolean;
}

export interface SigningSnippet {
  language: 'Shell' | 'Node.js' | 'Python' | 'Go';
  code: string;
}

/** Returns programs that send a correctly signed delivery. They read the secret from the variable SECRET. */
export function signingSnippets({ url, isTimed }: Signing): readonly SigningSnippet[] {
  return isTimed ? timed(url) : plain(url);
}

function plain(url: string): readonly SigningSnippet[] {
  return [
    {
      language: 'Shell',
      code: `BODY='{"email":"ada@example.com"}'
SIGNATURE=$(printf '%s' "$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/^.* //')
curl -s '${url}' -H 'Content-Type: application/json' -H "x-webhook-signature: $SIGNATURE" -d "$BODY"`,
    },
    {
      language: 'Node.js',
      code: `import { createHmac } from 'node:crypto';

const body = JSON.stringify({ email: 'ada@example.com' });
const signature = createHmac('sha256', process.env.SECRET).update(body).digest('hex');
const response = await fetch('${url}', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', 'x-webhook-signature': signature },
  body, // exactly the text that was signed
});
console.log(response.status, await response.text());`,
    },
    {
      language: 'Python',
      code: `import hashlib, hmac, json, os, urllib.request

body = json.dumps({"email": "ada@example.com"}).encode()
signature = hmac.new(os.environ["SECRET"].encode(), body, hashlib.sha256).hexdigest()
request = urllib.request.Request("${url}", data=body, headers={
    "Content-Type": "application/json", "x-webhook-signature": signature})
print(urllib.request.urlopen(request).read().decode())`,
    },
    {
      language: 'Go',
      code: `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"strings"
)

func main() {
	body := \`{"email":"ada@example.com"}\`
	mac := hmac.New(sha256.New, []byte(os.Getenv("SECRET")))
	mac.Write([]byte(body))
	request, _ := http.NewRequest("POST", "${url}", strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("x-webhook-signature", hex.EncodeToString(mac.Sum(nil)))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	fmt.Println(response.Status)
}`,
    },
  ];
}

function timed(url: string): readonly SigningSnippet[] {
  return [
    {
      language: 'Shell',
      code: `BODY='{"email":"ada@example.com"}'
ID="msg_$(openssl rand -hex 8)"
TIMESTAMP=$(date +%s)
KEY=$(printf '%s' "\${SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')
MAC=$(printf '%s.%s.%s' "$ID" "$TIMESTAMP" "$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A)
curl -s '${url}' -H 'Content-Type: application/json' -H "webhook-id: $ID" -H "webhook-timestamp: $TIMESTAMP" -H "webhook-signature: v1,$MAC" -d "$BODY"`,
    },
    {
      language: 'Node.js',
      code: `import { createHmac, randomUUID } from 'node:crypto';

const body = JSON.stringify({ email: 'ada@example.com' });
const id = randomUUID();
const timestamp = Math.floor(Date.now() / 1000);
const key = Buffer.from(process.env.SECRET.replace(/^whsec_/, ''), 'base64');
const signature = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\${body}\`).digest('base64');
const response = await fetch('${url}', {
  method: 'POST',
  headers: {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': \`v1,\${signature}\`,
  },
  body, // exactly the text that was signed
});
console.log(response.status, await response.text());`,
    },
    {
      language: 'Python',
      code: `import base64, hashlib, hmac, json, os, time, urllib.request, uuid

body = json.dumps({"email": "ada@example.com"}).encode()
message_id, timestamp = str(uuid.uuid4()), str(int(time.time()))
key = base64.b64decode(os.environ["SECRET"].removeprefix("whsec_"))
content = f"{message_id}.{timestamp}.".encode() + body
signature = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
request = urllib.request.Request("${url}", data=body, headers={
    "Content-Type": "application/json", "webhook-id": message_id,
    "webhook-timestamp": timestamp, "webhook-signature": "v1," + signature})
print(urllib.request.urlopen(request).read().decode())`,
    },
    {
      language: 'Go',
      code: `package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	body := \`{"email":"ada@example.com"}\`
	id := "msg_" + rand.Text()
	timestamp := fmt.Sprint(time.Now().Unix())
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("SECRET"), "whsec_"))
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "." + body))
	request, _ := http.NewRequest("POST", "${url}", strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("webhook-id", id)
	request.Header.Set("webhook-timestamp", timestamp)
	request.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	fmt.Println(response.Status)
}`,
    },
  ];
}
