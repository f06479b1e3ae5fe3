import { Injectable } from '@nestjs/common';
import { fingerprint } from '../text/canonical-json.js';
import { InputRequired, MissingCapability } from '../tools/contract/input-request.js';
import { SILENT_CALLER, type ToolCall } from '../tools/contract/tool-call.js';
import { RequestStates } from '../tools/pipeline/request-states.js';
import { InputExchange } from './input-exchange.js';
import type { MethodContext } from './handlers/method-handler.js';
import { JsonRpcError } from './json-rpc-error.js';
import { type JsonObject, metaOf } from './json-rpc.js';
import { CAPABILITIES_KEY } from './modern-request.js';
import { ProgressReporter } from './progress-reporter.js';
import { takesTasks } from './tasks-extension.js';

/** What a request asks for, and with what care its answers are to be taken. */
export interface CallSubject {
  readonly method: string;
  /** Of the tool, prompt or resource. */
  readonly name: string;
  readonly arguments: JsonObject;
  /** Whether the call may have effects, so that it must happen once however often it is sent. */
  readonly changes: boolean;
  readonly confirmation?: ToolCall['confirmation'];
  /** What was agreed to for a dry run holds for a dry run only. */
  readonly dryRun?: boolean;
}

/** Makes the call that methods of providers get out of the request that came for them. */
@Injectable()
export class CallRunner {
  constructor(private readonly states: RequestStates) {}

  /**
   * Runs `work` with the call, whose progress goes to the caller until it ends, and returns the JSON text that it
   * returns, or that of the questions it asks. Throws `JsonRpcError` for parameters about questions that cannot be, and
   * for questions that this caller cannot answer.
   */
  during(
    params: JsonObject,
    context: MethodContext,
    subject: CallSubject,
    work: (call: ToolCall) => Promise<string>,
  ): Promise<string> {
    const { key, signal, answerBy } = context;
    const exchange = this.exchange(params, context, subject);
    const progress = reporterOf(params, context);
    // One literal: putting it together out of parts takes longer than all that follows for a trivial tool.
    const working = work({
      organizationId: key.organizationId,
      surface: 'agent',
      actor: { kind: 'key', id: key.id },
      signal,
      answerBy,
      takesTasks: takesTasks(params, context.era),
      confirmation: subject.confirmation,
      idempotencyKey: exchange?.idempotencyKey,
      report: progress ? (report) => progress.report(report) : SILENT_CALLER.report,
      canAsk: exchange ? (request) => exchange.canAsk(request) : SILENT_CALLER.canAsk,
      ask: exchange ? (requests) => exchange.ask(requests) : SILENT_CALLER.ask,
    });
    return progress || exchange ? answered(working, context, progress) : working;
  }

  /** A call that neither asks nor tells, for methods that MCP lets do neither. */
  silent({ key, signal, answerBy }: MethodContext): ToolCall {
    return {
      ...SILENT_CALLER,
      organizationId: key.organizationId,
      surface: 'agent',
      actor: { kind: 'key', id: key.id },
      signal,
      answerBy,
    };
  }

  /** Undefined for callers who cannot be asked. */
  private exchange(
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

/** What became of work whose caller may be asked and told. */
async function answered(
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
  const isToken = typeof token === 'string' || Number.isInteger(token);
  return stream && isToken ? new ProgressReporter(stream, token as string | number) : undefined;
}
