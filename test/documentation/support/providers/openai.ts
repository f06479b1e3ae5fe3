import type { Provider, ProviderAnswer } from '../provider-server.js';

/**
 * Answers like the chat completions API of OpenAI. The first request exceeds the rate limit. The answer to the second
 * request takes `delayMs`.
 */
export function openai(apiKey: string, delayMs: number): Provider {
  let requests = 0;
  return ({ method, path, headers, body }) => {
    if (headers.authorization !== `Bearer ${apiKey}`) return fault(401, 'Incorrect API key');
    if (method !== 'POST' || path !== '/v1/chat/completions') return fault(404, 'Unknown URL');
    if (!headers['content-type']?.startsWith('application/json')) return fault(400, 'Not JSON');
    const { model, messages } = JSON.parse(body) as {
      model?: string;
      messages?: { role: string; content: string }[];
    };
    if (!model) return fault(400, 'you must provide a model parameter');
    if (!messages?.every(({ role, content }) => role && typeof content === 'string')) {
      return fault(400, 'Invalid messages');
    }
    requests += 1;
    if (requests === 1) {
      return { ...fault(429, 'Rate limit reached'), headers: { 'Retry-After': '0.5' } };
    }
    const message = { role: 'assistant', content: ' Shipping\n' };
    return {
      status: 200,
      body: { id: 'chatcmpl-1', object: 'chat.completion', choices: [{ index: 0, message }] },
      delayMs,
    };
  };
}

function fault(status: number, message: string): ProviderAnswer {
  return { status, body: { error: { message, type: 'invalid_request_error' } } };
}
