import type { IncomingMessage } from 'node:http';

const ORGANIZATION = Symbol('organization');

interface KnownRequest extends IncomingMessage {
  [ORGANIZATION]?: string;
}

/** Records the organization of a request. Call it when the credential of the request is known to be valid. */
export function recordOrganization(request: KnownRequest, organizationId: string): void {
  // A property costs less than an entry in a WeakMap.
  request[ORGANIZATION] = organizationId;
}

/** Returns the organization of a request. Returns undefined for a stranger, and before the credential was checked. */
export function organizationOf(request: KnownRequest): string | undefined {
  return request[ORGANIZATION];
}
