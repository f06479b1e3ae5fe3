import { Injectable } from '@nestjs/common';
import { CallRecorder } from '../accounts/call-recorder.js';
import type { AppError } from '../errors/app-error.js';
import type { AuthenticatedKey } from '../keys/keys.service.js';
import { fingerprint } from '../text/canonical-json.js';
import { InputRequired, MissingCapability } from '../tools/contract/input-request.js';
import { SILENT_CALLER, type ToolCall } from '../tools/contract/tool-call.js';
import { RequestStates } from '../tools/pipeline/request-states.js';
import { InputExchange } from './input-exchange.js';
import type { MethodContext } from './handlers/method-handler.js';
import { JsonRpcError } from './json-rpc-error.js';
import { type JsonObject, LONGEST_ID, metaOf } from './json-rpc.js';
import { CAPABILITIES_KEY } from './modern-request.js';
import { ProgressReporter } from './progress-reporter.js';
import { takesTasks } from './request-meta.js';

export interface CallSubject {
  readonly method: string;
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly name: string;
  readonly arguments: JsonObject;
  /** True if the call may have effects. Such a call is made once, even if its request is sent again. */
  readonly changes: boolean;
  readonly confirmation?: ToolCall['confirmation'];
  /** True for a dry run. Agreement to a dry run is not agreement to the real call. */
  readonly dryRun?: boolean;
  /** The idempotency key of the request. If the request has none, the idempotency key of its input requests, if any. */
  readonly idempotencyKey?: string;
}

/** Runs methods of providers with the {@link ToolCall} that belongs to a request. */
@Injectable()
export class CallRunner {
  constructor(
    private readonly states: RequestStates,
    private readonly recorder: CallRecorder,
  ) {}

  /** Writes the log entries about a call that never reached a tool. */
  recordRefusal(
    { id, organizationId, origin }: AuthenticatedKey,
    tool: string,
    error: AppError,
  ): void {
    this.recorder.refused({ organizationId, origin, actor: { kind: 'key', id } }, tool, error);
  }

  /**
   * Starts `work`, and returns its JSON or its input requests as JSON. Throws `JsonRpcError` when the request contains
   * invalid responses to input requests.
   */
  run(
    params: JsonObject,
    context: MethodContext,
    subject: CallSubject,
    work: (call: ToolCall) => Promise<string>,
  ): Promise<string> {
    const { key, signal, answerBy } = context;
    const exchange = this.exchangeFor(params, context, subject);
    const progress = reporterOf(params, context);
    // The call is one object literal, because spread syntax made a batch of trivial calls a quarter slower.
    const working = work({
      organizationId: key.organizationId,
      surface: 'agent',
      actor: { kind: 'key', id: key.id },
      origin: key.origin,
      signal,
      answerBy,
      takesTasks: takesTasks(params, context.era),
      confirmation: subject.confirmation,
      restriction: key.toolPolicies.restriction,
      idempotencyKey: subject.idempotencyKey ?? exchange?.idempotencyKey,
      report: progress ? (report) => progress.report(report) : SILENT_CALLER.report,
      canAsk: exchange ? (request) => exchange.canAsk(request) : SILENT_CALLER.canAsk,
      ask: exchange ? (requests) => exchange.ask(requests) : SILENT_CALLER.ask,
    });
    return progress || exchange ? encodeOutcome(working, context, progress) : working;
  }

  /** Makes a call without input requests and progress, for methods in which MCP allows neither. */
  makeSilentCall({ key, signal, answerBy }: MethodContext): ToolCall {
    return {
      ...SILENT_CALLER,
      organizationId: key.organizationId,
      surface: 'agent',
      actor: { kind: 'key', id: key.id },
      restriction: key.toolPolicies.restriction,
      signal,
      answerBy,
    };
  }

  private exchangeFor(
    params: JsonObject,
    { key, era }: MethodContext,
    subject: CallSubject,
  ): InputExchange | undefined {
    if (era !== 'modern') return undefined;
    const { changes, confirmation } = subject;
    return new InputExchange(
      this.states,
      () => ({ organizationId: key.organizationId, digest: digestOf(subject) }),
      metaOf(params)[CAPABILITIES_KEY] as JsonObject,
      params,
      changes || confirmation !== undefined,
    );
  }
}

async function encodeOutcome(
  working: Promise<string>,
  context: MethodContext,
  progress: ProgressReporter | undefined,
): Promise<string> {
  try {
    return await working;
  } catch (thrown) {
    if (thrown instanceof InputRequired) return context.encoder.inputRequired(thrown);
    if (thrown instanceof MissingCapability) {
      throw JsonRpcError.missingCapability(thrown.required);
    }
    throw thrown;
  } finally {
    progress?.end();
  }
}

function digestOf({ method, name, arguments: given, dryRun }: CallSubject): string {
  return fingerprint({ method, name, arguments: given, dryRun }).toString('base64url');
}

function reporterOf(params: JsonObject, { stream }: MethodContext): ProgressReporter | undefined {
  const { progressToken: token } = metaOf(params);
  const isToken =
    (typeof token === 'string' && token.length <= LONGEST_ID) || Number.isInteger(token);
  return stream && isToken ? new ProgressReporter(stream, token as string | number) : undefined;
}
