import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../database/secret-box.js';

// The time in which a person can respond. It is far shorter than the retention of idempotency keys.
const LIFETIME_MS = 60 * 60 * 1000;

/** The values that identify a request. They are the same when the client repeats the request with input responses. */
export interface RequestBinding {
  readonly organizationId: string;
  readonly digest: string;
}

export interface RequestState {
  /** A random value that is the same in all repetitions of a request and differs for other requests. */
  readonly nonce: string;
  readonly answers: Readonly<Record<string, unknown>>;
}

/** Seals the `requestState` of MCP 2026-07-28 (basic/patterns/mrtr). It is valid for an hour, for the same request only. */
@Injectable()
export class RequestStates {
  constructor(private readonly secrets: SecretBox) {}

  newNonce(): string {
    return randomBytes(16).toString('base64url');
  }

  seal(binding: RequestBinding, { nonce, answers }: RequestState): string {
    const state = JSON.stringify({ nonce, answers, expires: Date.now() + LIFETIME_MS });
    return this.secrets.seal(state, contextOf(binding)).toString('base64url');
  }

  /** Returns the state of a request. Returns undefined when it has expired or belongs to another request. */
  open(binding: RequestBinding, sealed: string): RequestState | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    // Buffer skips characters that are not base64url. Without this check, a changed text would be accepted.
    if (bytes.toString('base64url') !== sealed) return undefined;
    try {
      const state = this.secrets.open(bytes, contextOf(binding));
      const { nonce, answers, expires } = JSON.parse(state) as RequestState & { expires: number };
      return expires > Date.now() ? { nonce, answers } : undefined;
    } catch {
      return undefined;
    }
  }
}

function contextOf({ organizationId, digest }: RequestBinding): string {
  return `request state ${organizationId} ${digest}`;
}
