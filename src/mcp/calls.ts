import { Injectable } from '@nestjs/common';
import { fingerprint } from '../tools/canonical-json.js';
import { InputRequired } from '../tools/input-required.js';
import { MissingCapability } from '../tools/missing-capability.js';
import { RequestStates } from '../tools/request-states.js';
import { SILENT_CALLER } from '../tools/silent-caller.js';
import type { ToolCall } from '../tools/tool-call.js';
import { Conversation } from './conversation.js';
import { JsonRpcError } from './json-rpc-error.js';
import { type JsonObject, metaOf } from './json-rpc.js';
import type { MethodContext } from './method.js';
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
  readonly dryRun?: true;
}

/** Makes the call that methods of providers get out of the request that came for them. */
@Injectable()
export class Calls {
  constructor(private readonly states: RequestStates) {}

  /**
   * Runs `work` with the call, whose progress goes to the caller until it ends, and returns the JSON text that it
   * returns, or that of the questions it asks. Throws `JsonRpcError` for parameters about questions that cannot be, and
   * for questions that this caller cannot answer.
   */
  async during(
    params: JsonObject,
    context: MethodContext,
    subject: CallSubject,
    work: (call: ToolCall) => Promise<string>,
  ): Promise<string> {
    const progress = reporterOf(params, context);
    try {
      return await work({
        ...this.silent(context),
        takesTasks: takesTasks(params, context.era),
        confirmation: subject.confirmation,
        ...(progress && { report: (report) => progress.report(report) }),
        ...this.questions(params, context, subject),
      });
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

  /** A call that neither asks nor tells, for methods that MCP lets do neither. */
  silent({ key, signal, answerBy }: MethodContext): ToolCall {
    return {
      ...SILENT_CALLER,
      organizationId: key.organizationId,
      surface: 'agent',
      actor: { kind: 'key', id: key.id },
      signal,
      ...(answerBy !== undefined && { answerBy }),
    };
  }

  private questions(
    params: JsonObject,
    { key, era }: MethodContext,
    { changes, confirmation, ...subject }: CallSubject,
  ): Partial<ToolCall> {
    if (era !== 'modern') return {};
    const conversation = new Conversation(
      this.states,
      {
        organizationId: key.organizationId,
        digest: fingerprint(subject).toString('base64url'),
      },
      metaOf(params)[CAPABILITIES_KEY] as JsonObject,
      params,
      changes || confirmation !== undefined,
    );
    return {
      idempotencyKey: conversation.idempotencyKey,
      canAsk: (request) => conversation.canAsk(request),
      ask: (requests) => conversation.ask(requests),
    };
  }
}

function reporterOf(params: JsonObject, { stream }: MethodContext): ProgressReporter | undefined {
  const { progressToken: token } = metaOf(params);
  const isToken = typeof token === 'string' || Number.isInteger(token);
  return stream && isToken ? new ProgressReporter(stream, token as string | number) : undefined;
}
