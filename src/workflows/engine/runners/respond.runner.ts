import { Injectable } from '@nestjs/common';
import { AppError } from '../../../errors/app-error.js';
import { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import type { RespondStep } from '../../definitions/definition.js';
import { renderArguments } from '../../definitions/scope.js';
import {
  answerFaults,
  DEFAULT_STATUS,
  headerNameFault,
  headerValueFault,
  MAX_ANSWER_BYTES,
  MAX_ANSWER_HEADERS,
  statusFault,
  typeFault,
  type WebhookAnswer,
} from '../../definitions/webhook-answer.js';
import { WebhookRunsRepository } from '../../journal/webhook-runs.repository.js';
import { type Progress, RunProgressService, type StepAttempt } from '../run-progress.service.js';
import { RunScopeService } from '../run-scope.service.js';
import type { Sharing, StepRunner } from './step-runners.service.js';

/**
 * Stores the answer to the sender of the webhook, in the transaction of the step. The process that received the request
 * reads the answer after the commit. Only the first answer of a run counts.
 */
@Injectable()
export class RespondRunner implements StepRunner<RespondStep> {
  readonly kind = 'respond';

  constructor(
    private readonly progress: RunProgressService,
    private readonly scope: RunScopeService,
    private readonly runs: WebhookRunsRepository,
    private readonly liquid: LiquidSandbox,
  ) {}

  getSharing(): Sharing {
    return 'changes';
  }

  async run(attempt: StepAttempt<RespondStep>): Promise<Progress> {
    const { id, organizationId, triggerType } = attempt.run.row;
    return await this.progress.attempt(attempt, async (tx, entry) => {
      const scope = await this.scope.getScopeIfMet(tx, attempt.place);
      if (!scope) return undefined;
      const { respond } = attempt.place.step;
      const rendered = await renderArguments(organizationId, respond, scope, this.liquid);
      const answer = answerOf(rendered, respond);
      const answered =
        triggerType === 'webhook' && (await this.runs.storeAnswer(organizationId, id, answer));
      return { ...entry, status: 'succeeded', input: rendered, output: { answered } };
    });
  }
}

interface Rendered {
  status?: unknown;
  headers?: Record<string, unknown>;
  body?: unknown;
}

/**
 * Builds the answer from the values of the expressions. Throws `invalid_arguments` for a status, type or header that an
 * answer may not have.
 */
function answerOf(rendered: Rendered, { type = 'json' }: RespondStep['respond']): WebhookAnswer {
  const invalidType = typeFault(type);
  if (invalidType !== undefined) throw AppError.invalidField('respond.type', invalidType);
  const status = readStatus(rendered.status);
  const headers = readHeaders(rendered.headers ?? {});
  const body = bodyText(rendered.body, type);
  const bytes = Buffer.byteLength(body);
  if (bytes > MAX_ANSWER_BYTES) {
    const message = `has ${bytes} bytes. At most ${MAX_ANSWER_BYTES} are allowed`;
    throw AppError.invalidField('respond.body', message);
  }
  const [fault] = answerFaults({ status, headers, hasBody: rendered.body !== undefined });
  if (fault) throw AppError.invalidField(`respond.${fault.path}`, fault.message);
  return { status, type, headers, body };
}

function readStatus(value: unknown): number {
  const status = typeof value === 'string' && /^\d{3}$/.test(value.trim()) ? Number(value) : value;
  const fault = status === undefined ? undefined : statusFault(status);
  if (fault !== undefined) throw AppError.invalidField('respond.status', fault);
  return (status as number | undefined) ?? DEFAULT_STATUS;
}

/**
 * Returns the headers without those whose value is null. Checks the names again, because SQL of a tool can store a step.
 */
function readHeaders(values: Record<string, unknown>): Record<string, string> {
  const headers = Object.entries(values).flatMap(([name, value]): [string, string][] => {
    if (value === null) return [];
    const text = textOf(value);
    const fault = headerNameFault(name) ?? headerValueFault(name, text);
    if (fault !== undefined) throw AppError.invalidField(`respond.headers.${name}`, fault);
    return [[name.toLowerCase(), text]];
  });
  if (headers.length > MAX_ANSWER_HEADERS) {
    throw AppError.invalidField('respond.headers', `must be at most ${MAX_ANSWER_HEADERS} headers`);
  }
  return Object.fromEntries(headers);
}

function bodyText(value: unknown, type: WebhookAnswer['type']): string {
  if (value === undefined) return '';
  if (type === 'json') return JSON.stringify(value);
  return value === null ? '' : textOf(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
