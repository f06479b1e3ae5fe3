import type { Provider, ProviderAnswer } from '../provider-server.js';

const MOST_ANSWERS = 5;

/** Answers like a response_url of Slack, which accepts JSON, and at most five requests. */
export function slack(): Provider {
  const uses = new Map<string, number>();
  return ({ method, path, headers, body }) => {
    if (method !== 'POST' || !/^\/commands\/T\w+\/\d+\/\w+$/.test(path)) return fault(404);
    if (!headers['content-type']?.startsWith('application/json')) return fault(400);
    const { text, response_type: type } = JSON.parse(body) as Record<string, unknown>;
    if (typeof text !== 'string' || text === '') return fault(400, 'no_text');
    if (type !== 'ephemeral' && type !== 'in_channel') return fault(400, 'invalid_payload');
    const count = (uses.get(path) ?? 0) + 1;
    uses.set(path, count);
    return count > MOST_ANSWERS ? fault(404, 'used_url') : { status: 200, body: 'ok' };
  };
}

function fault(status: number, error = 'invalid_request'): ProviderAnswer {
  return { status, body: { ok: false, error } };
}
