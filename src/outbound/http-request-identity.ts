/**
 * The headers that identify the sender of a request, or trace the request. Requests that differ only in these headers
 * are the same request, such as a retry with a new token.
 */
const IGNORED_HEADERS = new Set([
  'api-key',
  'authorization',
  'cookie',
  'date',
  'traceparent',
  'tracestate',
  'user-agent',
  'x-access-token',
  'x-api-key',
  'x-auth-token',
  'x-correlation-id',
  'x-request-id',
]);

/**
 * Returns the parts that identify a request: its method, URL, query, body, and all headers except {@link
 * IGNORED_HEADERS}. The arguments have not been validated.
 */
export function requestOf(given: Readonly<Record<string, unknown>>): unknown {
  const { method = 'GET', url, headers, json, body } = given;
  const others = ['query', 'form', 'multipart', 'file', 'pages'].filter(
    (name) => given[name] != null,
  );
  return {
    method,
    url,
    headers: identifyingHeaders(headers),
    // Compare the JSON text, because servers compare bytes. For a server, the same members in another order are a
    // different body.
    body: json === undefined || json === null ? body : JSON.stringify(json),
    ...Object.fromEntries(others.map((name) => [name, JSON.stringify(given[name])])),
  };
}

function identifyingHeaders(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return null;
  const entries = Object.entries(given).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  return Object.fromEntries(entries.filter(([name]) => !IGNORED_HEADERS.has(name)));
}
