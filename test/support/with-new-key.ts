import type { TestOrganization } from './organization.js';

/** Returns the organization with a new key that has these options. */
export async function withNewKey(
  organization: TestOrganization,
  options: object,
): Promise<TestOrganization> {
  const response = await organization.fetch('/api/mcp/keys', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(options),
  });
  const { api_key: key } = (await response.json()) as { api_key: string };
  return {
    ...organization,
    key,
    rpc: (body, headers = {}) =>
      organization.rpc(body, { Authorization: `Bearer ${key}`, ...headers }),
  };
}
