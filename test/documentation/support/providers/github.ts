import type { Provider, ProviderAnswer } from '../provider-server.js';

/** Answers like the REST API of GitHub, which requires a token, a User-Agent, and JSON with the member `body`. */
export function github(token: string): Provider {
  return ({ method, path, headers, body, base }) => {
    if (!headers['user-agent']) return fault(403, 'Request forbidden by administrative rules.');
    if (headers.authorization !== `Bearer ${token}`) return fault(401, 'Bad credentials');
    const found = /^\/repos\/[\w.-]+\/[\w.-]+\/issues\/\d+\/comments$/.test(path);
    if (!found || method !== 'POST') return fault(404, 'Not Found');
    if (headers['x-github-api-version'] !== '2022-11-28') return fault(400, 'Unsupported version');
    const { body: text } = JSON.parse(body) as { body?: string };
    if (!text) return fault(422, 'Validation Failed');
    return { status: 201, body: { id: 1, html_url: `${base}${path}#issuecomment-1`, body: text } };
  };
}

function fault(status: number, message: string): ProviderAnswer {
  return { status, body: { message, documentation_url: 'https://docs.github.com/rest' } };
}
