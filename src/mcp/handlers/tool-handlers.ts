import { Injectable, Logger } from '@nestjs/common';
import { AppError, toError } from '../../errors/app-error.js';
import type { AuthenticatedKey } from '../../keys/keys.service.js';
import { sameEffectOf } from '../../policies/same-effect.js';
import { SecurityLog } from '../../security/security-log.js';
import { isJsonObject } from '../../text/is-json-object.js';
import { unknownName } from '../../text/nearest-names.js';
import { InputRequired, MissingCapability } from '../../tools/contract/input-request.js';
import { type DryRunOutcome, DryRuns } from '../../tools/pipeline/dry-runs.js';
import { Tasks } from '../../tools/pipeline/tasks.js';
import { ReportedFailure } from '../../tools/contract/reported-failure.js';
import { OfferedToolList } from '../../tools/registry/offered-tool.js';
import { OfferedTools } from '../../tools/registry/offered-tools.js';
import type { RegisteredTool } from '../../tools/registry/registered-tool.js';
import { MAX_RESULT_BYTES, withinLimit } from '../../tools/registry/result-limit.js';
import { ToolRegistry } from '../../tools/registry/tool-registry.js';
import { knownError, toolError } from '../app-error-encoding.js';
import { CallRunner } from '../call-runner.js';
import type { EraEncoder } from '../encoders/era-encoder.js';
import { createdTask } from '../encoders/task-encoding.js';
import { INVALID_PARAMS, JsonRpcError } from '../json-rpc-error.js';
import { type JsonObject, type JsonText } from '../json-rpc.js';
import { DRY_RUN_KEY, readDryRun, readIdempotencyKey, taskCallerOf } from '../request-meta.js';
import { ToolLists } from '../tool-lists.js';
import { type MethodContext, assertFirstPage, isCancellation } from './method-handler.js';

interface CallParams {
  readonly name: string;
  readonly given: JsonObject;
  readonly dryRun: boolean;
  readonly idempotencyKey: string | undefined;
  readonly params: JsonObject;
}

@Injectable()
export class ToolHandlers {
  private readonly logger = new Logger('Mcp');

  constructor(
    private readonly tools: ToolRegistry,
    private readonly dryRuns: DryRuns,
    private readonly lists: ToolLists,
    private readonly calls: CallRunner,
    private readonly tasks: Tasks,
    private readonly offeredTools: OfferedTools,
    private readonly security: SecurityLog,
  ) {}

  list(params: JsonObject, { encoder, key }: MethodContext): JsonText | Promise<JsonText> {
    assertFirstPage(params);
    if (key.offeredToolsRevision === '')
      return this.lists.get(encoder, key.toolPolicies, OfferedToolList.NONE);
    return this.offeredTo(key).then((offered) =>
      this.lists.get(encoder, key.toolPolicies, offered),
    );
  }

  call(params: JsonObject, context: MethodContext): Promise<string> {
    const { name, arguments: given = {} } = params;
    if (typeof name !== 'string') throw JsonRpcError.invalidParams('name must be a string.');
    if (!isJsonObject(given)) throw JsonRpcError.invalidParams('arguments must be an object.');
    const callParams = {
      name,
      given,
      dryRun: readDryRun(params),
      idempotencyKey: readIdempotencyKey(params),
      params,
    };
    const tool = this.tools.find(name, 'agent', context.key.toolPolicies);
    return tool ? this.callTool(tool, callParams, context) : this.callOffered(callParams, context);
  }

  private async callOffered(params: CallParams, context: MethodContext): Promise<string> {
    const { key } = context;
    const offered = await this.offeredTo(key);
    const tool = offered.find(params.name, key.toolPolicies);
    if (tool) return await this.callTool(tool, params, context);
    const fault = this.restrictionFault(params.name, key, offered);
    if (fault === undefined) throw this.unknownTool(params.name, key, offered);
    this.security.report('restricted_key', { subject: key.organizationId });
    return this.refuse(params.name, fault, context);
  }

  /** Records a call that the agent may not make, and returns its error. */
  private refuse(name: string, reason: string, { key, encoder }: MethodContext): string {
    const refusal = new AppError('forbidden', reason);
    this.calls.recordRefusal(key, name, refusal);
    return encoder.toolFailure(JSON.stringify(knownError(refusal)));
  }

  /**
   * Returns the reason why the key may not call an existing tool, or undefined if the organization has no such tool.
   */
  private restrictionFault(
    name: string,
    { toolPolicies }: AuthenticatedKey,
    offered: OfferedToolList,
  ): string | undefined {
    if (!toolPolicies.restriction) return undefined;
    const ofOrganization = toolPolicies.withoutRestriction();
    const tool =
      this.tools.find(name, 'agent', ofOrganization) ?? offered.find(name, ofOrganization);
    return tool && toolPolicies.faultOf(tool);
  }

  private callTool(
    tool: RegisteredTool,
    { name, given, dryRun, idempotencyKey, params }: CallParams,
    context: MethodContext,
  ): Promise<string> {
    const meta = deprecation(name, tool);
    const { toolPolicies } = context.key;
    const others = sameEffectOf(tool.names[0], given);
    if (toolPolicies.hides(...others)) {
      const reason = `With these arguments, ${name} does the same as a hidden tool, so only a person may call it.`;
      return Promise.resolve(this.refuse(name, reason, context));
    }
    const confirmation = toolPolicies.confirmation(...tool.names, ...others);
    const subject = {
      method: 'tools/call',
      name,
      arguments: given,
      changes: !tool.readOnly,
      confirmation: confirmation === 'never' ? undefined : confirmation,
      // The value is undefined and not false, because the digest that binds a request state omits an undefined value.
      // So the digest equals the digest of a call without `dryRun`.
      dryRun: dryRun || undefined,
      idempotencyKey,
    };
    return this.calls.run(params, context, subject, async (call) => {
      try {
        if (dryRun) {
          const outcome = await this.dryRuns.call(tool, given, call);
          return encodeDryRun(outcome, tool, context.encoder, meta);
        }
        const result = await this.tools.call(tool, given, call);
        const task = call.takesTasks
          ? await this.tasks.findStarted(tool, result, taskCallerOf(context.key))
          : undefined;
        return task ? createdTask(task, meta) : encode(result, tool, context.encoder, meta);
      } catch (thrown) {
        if (isCancellation(thrown, context.signal) || isProtocolError(thrown)) throw thrown;
        const failure = JSON.stringify(this.describe(thrown, tool, context));
        return context.encoder.toolFailure(failure, meta);
      }
    });
  }

  private describe(thrown: unknown, tool: RegisteredTool, { key }: MethodContext): object {
    const call = { tool: tool.descriptor.name, organization: key.organizationId };
    if (thrown instanceof AppError && thrown.code === 'unavailable') {
      this.logger.warn({ ...call, cause: toError(thrown.cause ?? thrown).message });
    }
    if (thrown instanceof ReportedFailure) return knownError(thrown.failure);
    return toolError(thrown, (errorId) => {
      this.logger.error({ ...call, error_id: errorId }, toError(thrown).stack);
    });
  }

  private async offeredTo(key: AuthenticatedKey): Promise<OfferedToolList> {
    return await this.offeredTools.of(key.organizationId, key.offeredToolsRevision);
  }

  private unknownTool(name: string, key: AuthenticatedKey, offered: OfferedToolList): JsonRpcError {
    const { toolPolicies } = key;
    const known = [...this.tools.list('agent', toolPolicies), ...offered.list(toolPolicies)];
    const names = known.map((tool) => tool.name);
    const message =
      this.tools.describeOtherSurface(name, 'agent', toolPolicies) ??
      unknownName('tool', name, names);
    this.calls.recordRefusal(key, name, new AppError('not_found', message));
    return new JsonRpcError(INVALID_PARAMS, message);
  }
}

/** Returns true for errors of the protocol, which are not failures of the tool. */
function isProtocolError(thrown: unknown): boolean {
  return (
    thrown instanceof JsonRpcError ||
    thrown instanceof InputRequired ||
    thrown instanceof MissingCapability
  );
}

/** Returns `_meta` with the current name for a caller that used a deprecated name. */
function deprecation(
  usedName: string,
  { descriptor: { name } }: RegisteredTool,
): JsonObject | undefined {
  return usedName === name ? undefined : { 'switchboard/deprecated': `${usedName} is now ${name}` };
}

/**
 * The largest number of bytes that one character of a result takes. The result is sent twice: as text and as structured
 * content.
 */
const LONGEST_ENCODING = 8;

function encode(
  result: object,
  tool: RegisteredTool,
  encoder: EraEncoder,
  meta: JsonObject | undefined,
): string {
  // Compiled code can return a value that its type forbids. Without this check, the caller would get invalid JSON.
  if (!isJsonObject(result)) throw new Error('A tool must return an object.');
  if (tool.descriptor.outputSchema) {
    const text = JSON.stringify(result);
    const isSmall = text.length <= MAX_RESULT_BYTES / LONGEST_ENCODING;
    const encoded = encoder.toolResult(text, meta);
    return isSmall ? encoded : withinLimit(encoded, tool);
  }
  if (!Array.isArray(result.content))
    throw new Error('A tool without output must return ToolContent.');
  return encoder.toolContent(JSON.stringify(result.content), meta);
}

function encodeDryRun(
  { result, ...effects }: DryRunOutcome,
  tool: RegisteredTool,
  encoder: EraEncoder,
  meta: JsonObject | undefined,
): string {
  return encoder.hasMeta
    ? encode(result, tool, encoder, { ...meta, [DRY_RUN_KEY]: effects })
    : encoder.toolResult(JSON.stringify({ dry_run: true, result, ...effects }));
}
