import type { Provider, ProviderAnswer } from '../provider-server.js';

/** The token endpoint of Microsoft Entra, and Microsoft Graph, which accepts the tokens of that endpoint. */
export interface Microsoft {
  readonly login: Provider;
  readonly graph: Provider;
  /** Makes Graph refuse all tokens that were issued so far. */
  revokeTokens(): void;
}

export function microsoft(clientId: string, clientSecret: string): Microsoft {
  const tokens = new Set<string>();
  const expected = `Basic ${Buffer.from(`${clientId}:${clientSecret.replaceAll(' ', '+')}`).toString('base64')}`;
  let issued = 0;
  let rows = 0;
  return {
    revokeTokens: () => tokens.clear(),
    login: ({ method, path, headers, body }) => {
      if (method !== 'POST' || !/^\/[\w.-]+\/oauth2\/v2\.0\/token$/.test(path)) return fault(404);
      if (headers['content-type'] !== 'application/x-www-form-urlencoded') return fault(400);
      const form = new URLSearchParams(body);
      if (form.get('grant_type') !== 'client_credentials') return fault(400);
      if (!form.get('scope')?.endsWith('graph.microsoft.com/.default')) return fault(400);
      if (headers.authorization !== expected) return fault(401, 'invalid_client');
      issued += 1;
      const token = `eyJ0eXAi.token${issued}`;
      tokens.add(token);
      return {
        status: 200,
        body: { token_type: 'Bearer', expires_in: 3599, access_token: token },
      };
    },
    graph: ({ method, path, headers, body }) => {
      const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
      if (!tokens.has(token)) return fault(401, 'InvalidAuthenticationToken');
      const isList = /^\/v1\.0\/sites\/[\w.-]+\/lists\/[\w-]+\/items$/.test(path);
      if (!isList || method !== 'POST') return fault(404, 'itemNotFound');
      const { fields } = JSON.parse(body) as { fields?: Record<string, unknown> };
      if (!fields || typeof fields.Title !== 'string') return fault(400, 'invalidRequest');
      rows += 1;
      return { status: 201, body: { id: String(rows), fields } };
    },
  };
}

function fault(status: number, code = 'invalid_request'): ProviderAnswer {
  return { status, body: { error: { code } } };
}
