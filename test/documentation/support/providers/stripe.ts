import type { Provider, ProviderAnswer } from '../provider-server.js';

/**
 * Answers like the API of Stripe, which requires a key in the header, and a form as the body. Requests with the same
 * idempotency key get the same answer.
 */
export function stripe(apiKey: string): Provider {
  const answers = new Map<string, { request: string; answer: ProviderAnswer }>();
  return ({ method, path, headers, body }) => {
    if (headers.authorization !== `Bearer ${apiKey}`) return fault(401, 'Invalid API Key provided');
    const [, id] = /^\/v1\/customers\/(cus_\w+)$/.exec(path) ?? [];
    if (id === undefined || method !== 'POST') return fault(404, 'Unrecognized request URL');
    if (headers['content-type'] !== 'application/x-www-form-urlencoded') {
      return fault(400, 'Invalid request: send application/x-www-form-urlencoded');
    }
    const key = headers['idempotency-key'];
    if (!key || key.length > 255) return fault(400, 'The test expects an idempotency key');
    const request = `${path} ${body}`;
    const known = answers.get(key);
    if (known && known.request !== request) {
      return fault(400, 'Keys for idempotent requests can only be used with the same parameters');
    }
    if (known) return { ...known.answer, headers: { 'Idempotent-Replayed': 'true' } };
    const contact = new URLSearchParams(body).get('metadata[contact_id]');
    const answer = {
      status: 200,
      body: { id, object: 'customer', metadata: { contact_id: contact } },
    };
    answers.set(key, { request, answer });
    return answer;
  };
}

function fault(status: number, message: string): ProviderAnswer {
  return { status, body: { error: { type: 'invalid_request_error', message } } };
}
