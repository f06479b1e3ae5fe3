import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../database/secret-box.js';

// Long enough for a person to be found, and far shorter than idempotency keys are kept.
const LIFETIME_MS = 60 * 60 * 1000;

/** What one request and its repetitions with answers have in common. */
export interface RequestBinding {
  readonly organizationId: string;
  /** Tells this request from every other: its method, name and arguments. */
  readonly digest: string;
}

export interface RequestState {
  /** The same in all rounds of a request, and never used for another. */
  readonly nonce: string;
  /** What was answered so far. */
  readonly answers: Readonly<Record<string, unknown>>;
}

/**
 * The `requestState` of MCP 2026-07-28 (basic/patterns/mrtr): what a question must remember, kept by the caller. Sealed,
 * so that it can neither be read nor made, and opens for the same request of the same organization only, for an hour.
 */
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

  /** Undefined for what is no state of this request, and for one that has expired. */
  open(binding: RequestBinding, sealed: string): RequestState | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    // Buffer skips what is no base64url, so that a changed text could stand for the same bytes.
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
