import type { Request } from 'express';
import type { ToolPolicies } from '../policies/tool-policies.js';

/** The API key that a request was sent with, once the bearer guard has found it. */
export interface AuthenticatedKey {
  readonly id: string;
  readonly organizationId: string;
  /** What the key is found by. */
  readonly hash: Buffer;
  /** What the organization has decided about tools, as it was when the key was looked up. */
  readonly toolPolicies: ToolPolicies;
  /** Revision of the tools that the organization has made for its agents; empty where there are none. */
  readonly offeredToolsRevision: string;
}

const keys = new WeakMap<Request, AuthenticatedKey>();

export function setApiKey(request: Request, key: AuthenticatedKey): void {
  keys.set(request, key);
}

/** The key that the bearer guard found; throws where that guard did not run. */
export function apiKeyOf(request: Request): AuthenticatedKey {
  const key = keys.get(request);
  if (!key) throw new Error('This route is not behind the bearer guard.');
  return key;
}
