import { Injectable } from '@nestjs/common';
import { RateLimiter } from '../http/rate-limiter.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import { Dispatcher } from './dispatcher.js';
import { encoderOf } from './encoders/encoder-of.js';
import { decideEra, type Era, SERVED_VERSIONS } from './era.js';
import { encodeError, JsonRpcError, UNSUPPORTED_PROTOCOL_VERSION } from './json-rpc-error.js';
import { type JsonRpcId, type Member, parseMember, readableId } from './json-rpc.js';
import type { MethodContext } from './methods.js';

const MAX_BATCH = 20;

/** Status and JSON text of an answer; without a body there is nothing to answer. */
export interface McpAnswer {
  readonly status: 200 | 202 | 400;
  readonly body?: string;
}

/** Answers one message, whatever is in it. Keeps nothing between messages, so any process can answer any of them. */
@Injectable()
export class McpService {
  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly limiter: RateLimiter,
  ) {}

  /** Throws only `rate_limited`, for a batch of which nothing has run then. */
  async answer(
    message: unknown,
    version: string | undefined,
    key: AuthenticatedKey,
  ): Promise<McpAnswer> {
    if (typeof message !== 'object' || message === null) {
      return refusal(null, JsonRpcError.invalidRequest('the body must be an object or an array.'));
    }
    const decision = decideEra(message, version);
    switch (decision.name) {
      case 'plain':
      case 'legacy':
        return Array.isArray(message)
          ? await this.answerBatch(message, decision, key)
          : await this.answerOne(parseMember(message), decision, key);
      case 'modern':
        // An id that cannot be echoed is left out: null is not valid in these revisions.
        return refusal(readableId(message) ?? undefined, unsupported(decision.requested));
      case 'modern-batch':
        return refusal(null, JsonRpcError.invalidRequest('this MCP version has no batches.'));
      case 'unsupported':
        return refusal(readableId(message), unsupported(decision.requested));
    }
  }

  private async answerOne(member: Member, era: Era, key: AuthenticatedKey): Promise<McpAnswer> {
    const body = await this.dispatcher.dispatch(member, contextOf(era, key));
    if (body === undefined) return { status: 202 };
    return { status: member.kind === 'invalid' ? 400 : 200, body };
  }

  private async answerBatch(
    batch: readonly unknown[],
    era: Era,
    key: AuthenticatedKey,
  ): Promise<McpAnswer> {
    if (batch.length === 0) {
      return refusal(null, JsonRpcError.invalidRequest('a batch must not be empty.'));
    }
    if (batch.length > MAX_BATCH) {
      const reason = `a batch holds at most ${MAX_BATCH} requests.`;
      return refusal(null, JsonRpcError.invalidRequest(reason));
    }
    // The first member was paid for before the body was read.
    if (batch.length > 1) this.limiter.consume(key.organizationId, batch.length - 1);
    const responses: string[] = [];
    // One after the other: a caller may rely on the order, and each call holds a database connection.
    for (const element of batch) {
      const member = notInitialize(parseMember(element));
      const response = await this.dispatcher.dispatch(member, contextOf(era, key));
      if (response !== undefined) responses.push(response);
    }
    if (responses.length === 0) return { status: 202 };
    return { status: 200, body: `[${responses.join(',')}]` };
  }
}

/** These eras do not cancel a call because its caller went away, so nothing ever aborts the signal. */
function contextOf(era: Era, key: AuthenticatedKey): MethodContext {
  return { key, encoder: encoderOf(era), signal: new AbortController().signal };
}

function notInitialize(member: Member): Member {
  return member.kind === 'request' && member.method === 'initialize'
    ? { kind: 'invalid', id: member.id, reason: 'initialize cannot be part of a batch.' }
    : member;
}

function unsupported(requested: string): JsonRpcError {
  return new JsonRpcError(UNSUPPORTED_PROTOCOL_VERSION, 'Unsupported protocol version', {
    supported: SERVED_VERSIONS,
    requested,
  });
}

function refusal(id: JsonRpcId | null | undefined, error: JsonRpcError): McpAnswer {
  return { status: 400, body: encodeError(id, error) };
}
