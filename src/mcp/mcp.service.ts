import { Injectable } from '@nestjs/common';
import { RateLimiter } from '../http/rate-limiter.js';
import type { AuthenticatedKey } from '../keys/keys.service.js';
import { DryRuns } from '../tools/pipeline/dry-runs.js';
import type { NotificationStream } from './event-stream.js';
import { Dispatcher, type Reply } from './dispatcher.js';
import { dryRunsIn } from './request-meta.js';
import { encoderOf } from './encoders/encoder-of.js';
import { decideEra, type Era, SERVED_VERSIONS } from './era.js';
import {
  encodeError,
  JsonRpcError,
  METHOD_NOT_FOUND,
  MISSING_CLIENT_CAPABILITY,
} from './json-rpc-error.js';
import { type JsonRpcId, type JsonText, type Member, parseMember, readableId } from './json-rpc.js';
import { LastingSignals } from './lasting-signals.js';
import { type McpHeaders, unreadableId } from './mcp-headers.js';
import type { MethodContext } from './handlers/method-handler.js';
import { assertModernRequest, type ModernMember, parseModernMember } from './modern-request.js';

const MAX_BATCH = 20;
/** The longest time that all calls of a batch together wait for tasks that they start. */
const BATCH_PATIENCE_MS = 10_000;

/** The HTTP status of each error code, as MCP 2026-07-28 defines it. All other responses have 200. */
const MODERN_STATUS = new Map<number | undefined, 400 | 404>([
  [METHOD_NOT_FOUND, 404],
  [MISSING_CLIENT_CAPABILITY, 400],
]);

export interface McpAnswer {
  readonly status: 200 | 202 | 400 | 404;
  readonly body?: JsonText;
}

export interface McpCaller {
  readonly key: AuthenticatedKey;
  readonly headers: McpHeaders;
  /** Returns a signal that is aborted if the caller disconnects before the response. */
  readonly gone: () => AbortSignal;
  /** Sends notifications before the response. Absent if the caller accepts no events. */
  readonly stream?: NotificationStream;
}

/** Handles messages, and keeps no state between them. So any process can answer any message. */
@Injectable()
export class McpService {
  /**
   * The signals of calls in revisions before MCP 2026-07-28. In these revisions, a caller that disconnects does not
   * cancel its calls.
   */
  private readonly signals = new LastingSignals();

  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly limiter: RateLimiter,
    private readonly dryRuns: DryRuns,
  ) {}

  /** Handles a message. Throws only `rate_limited`, before any call of the batch has run. */
  async answer(message: unknown, caller: McpCaller): Promise<McpAnswer> {
    const { version } = caller.headers;
    if (typeof message !== 'object' || message === null) {
      return invalid(unreadableId(version), 'the body must be an object or an array.');
    }
    const decision = decideEra(message, version);
    switch (decision.name) {
      case 'plain':
      case 'legacy':
        return Array.isArray(message)
          ? await this.answerBatch(message, decision, caller)
          : await this.answerOne(parseMember(message), decision, caller);
      case 'modern':
        return await this.answerModern(parseModernMember(message), caller);
      case 'modern-batch':
        return invalid(undefined, 'this MCP version has no batches.');
      case 'unsupported':
        return refusal(
          readableId(message),
          JsonRpcError.unsupportedVersion(decision.requested, SERVED_VERSIONS),
        );
    }
  }

  private async answerOne(member: Member, era: Era, caller: McpCaller): Promise<McpAnswer> {
    // Plain JSON-RPC has no events and no progress.
    const stream = era.name === 'legacy' ? caller.stream : undefined;
    const context = { key: caller.key, ...eraContext(era), signal: this.signals.next(), stream };
    const [reply] = await this.dispatcher.dispatch([member], context);
    if (reply === undefined) return { status: 202 };
    return { status: member.kind === 'invalid' ? 400 : 200, body: reply.text };
  }

  private async answerModern(
    member: ModernMember,
    { key, headers, gone, stream }: McpCaller,
  ): Promise<McpAnswer> {
    // In this revision, clients send no notifications over HTTP.
    if (member.kind === 'notification') return { status: 202 };
    if (member.kind === 'invalid') return invalid(member.id ?? undefined, member.reason);
    try {
      assertModernRequest(member, headers);
    } catch (error) {
      if (error instanceof JsonRpcError) return refusal(member.id, error);
      throw error;
    }
    const era = eraContext({ name: 'modern' });
    const context = { id: member.id, key, ...era, signal: gone(), stream };
    const [reply] = await this.dispatcher.dispatch([member], context);
    if (reply === undefined) return { status: 202 };
    return { status: MODERN_STATUS.get(reply.errorCode) ?? 200, body: reply.text };
  }

  private async answerBatch(
    batch: readonly unknown[],
    era: Era,
    { key }: McpCaller,
  ): Promise<McpAnswer> {
    if (batch.length === 0) return invalid(null, 'a batch must not be empty.');
    if (batch.length > MAX_BATCH) {
      return invalid(null, `a batch has at most ${MAX_BATCH} requests.`);
    }
    const members = batch.map((element) => notInitialize(parseMember(element)));
    const dryRuns = dryRunsIn(members);
    if (dryRuns === 'some') {
      return invalid(null, 'all calls of a batch, or none of them, must be dry runs.');
    }
    // RateLimitGuard counted the first member before the body was read.
    if (batch.length > 1) this.limiter.consume(key.organizationId, batch.length - 1);
    const answerBy = performance.now() + BATCH_PATIENCE_MS;
    const context = { key, ...eraContext(era), signal: this.signals.next(), answerBy };
    const dispatchAll = (): Promise<Reply[]> => this.dispatcher.dispatch(members, context);
    const replies =
      dryRuns === 'all'
        ? await this.dryRuns.together(key.organizationId, dispatchAll)
        : await dispatchAll();
    if (replies.length === 0) return { status: 202 };
    return { status: 200, body: `[${replies.map(({ text }) => text.toString()).join(',')}]` };
  }
}

function eraContext(era: Era): Pick<MethodContext, 'era' | 'encoder'> {
  return { era: era.name, encoder: encoderOf(era) };
}

function notInitialize(member: Member): Member {
  return member.kind === 'request' && member.method === 'initialize'
    ? { kind: 'invalid', id: member.id, reason: 'initialize cannot be part of a batch.' }
    : member;
}

function invalid(id: JsonRpcId | null | undefined, reason: string): McpAnswer {
  return refusal(id, JsonRpcError.invalidRequest(reason));
}

function refusal(id: JsonRpcId | null | undefined, error: JsonRpcError): McpAnswer {
  return { status: 400, body: encodeError(id, error) };
}
