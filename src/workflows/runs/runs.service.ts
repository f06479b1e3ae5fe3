import { Injectable } from '@nestjs/common';
import { AppError, assertFound } from '../../errors/app-error.js';
import { readCursor, readTimeCursor, timeCursor, writeCursor } from '../../paging/paging.js';
import { MAX_RESUME_TOKEN } from '../../text/resume-signature.js';
import { parsePayload } from '../journal/parse-payload.js';
import {
  RunStepsRepository,
  type ShownStep,
  type StepPosition,
} from '../journal/run-steps.repository.js';
import type { Run } from '../journal/run.entity.js';
import { RunsRepository } from '../journal/runs.repository.js';
import { LargePayloadsService } from '../payloads/large-payloads.service.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import { type RunDetails, RunDetailsRepository } from './run-details.repository.js';
import type { RunFilter } from './run-filter.js';
import { RunSearchRepository } from './run-search.repository.js';
import {
  currentStepView,
  currentSteps,
  hasCurrentSteps,
  listedStepView,
  type PayloadView,
  runView,
  stepView,
} from './run-view.js';
import type { GetRunValueInput } from './run.inputs.js';
import type { RunPage, RunStepsResult, RunStepView, RunValueResult } from './run.results.js';

/**
 * The largest size of the steps of one page as MCP encodes them, in bytes. A larger page would occupy the process for
 * more than 20 ms.
 */
const MAX_PAGE_BYTES = 256 * 1024;
const MAX_PAYLOAD_BYTES = 32 * 1024;
const PREVIEW_BYTES = 1000;
/** The longest result of a run that is shown. A longer one is read with `get_run_value`. */
const MAX_RESULT_CHARACTERS = 8192;
const STEPS_PER_PAGE = 300;
/**
 * The number of steps that are read first. About this many steps with a large value fit into a page. More steps are
 * read when the first ones are small.
 */
const FIRST_STEPS = 120;
const LISTED_STEPS = 10;

@Injectable()
export class RunsService {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly runs: RunsRepository,
    private readonly search: RunSearchRepository,
    private readonly steps: RunStepsRepository,
    private readonly details: RunDetailsRepository,
    private readonly largePayloads: LargePayloadsService,
  ) {}

  /** Returns a run with one page of its steps, of limited size. Throws `not_found` when there is no such run. */
  async get(organizationId: string, id: string, cursor?: string): Promise<RunStepsResult> {
    const run = await this.runs.get(organizationId, id);
    const { steps, last } = await this.readPage(run, readStepCursor(cursor));
    const details = await this.details.get(organizationId, id, {
      maxBytes: MAX_PAYLOAD_BYTES,
      previewBytes: PREVIEW_BYTES,
    });
    const output = details.returned?.returned;
    return {
      ...(output && JSON.stringify(output).length <= MAX_RESULT_CHARACTERS && { output }),
      run: runView({
        run,
        request: details.request,
        payload: await this.payloadOf(organizationId, id, details),
        steps: last ? steps : await this.withCurrent(run, steps),
        stepCount: details.stepCount,
      }),
      next_cursor: last ? writeCursor([last.position, last.stepId]) : null,
    };
  }

  /** Returns a part of the JSON text of a value. Throws `not_found` when the run or the value does not exist. */
  async getValue(organizationId: string, input: GetRunValueInput): Promise<RunValueResult> {
    const { text, total, end } = await this.readPart(organizationId, input, Number(input.cursor));
    return { text, total, next_cursor: end < total && text !== '' ? String(end) : null };
  }

  /**
   * Returns a part as {@link getValue} does, but without the signatures that `mask` hides. Use this method for API keys
   * that may not use every link.
   */
  async getValueWithoutSignatures(
    organizationId: string,
    input: GetRunValueInput,
    mask: (text: string) => string,
  ): Promise<RunValueResult> {
    const offset = Number(input.cursor);
    // This method also reads some text before the part, because a signature is recognized by the text before it.
    const before = Math.min(offset, MAX_RESUME_TOKEN);
    const wider = { ...input, limit: input.limit + before };
    const { text, total, start, end } = await this.readPart(organizationId, wider, offset - before);
    const characters = [...mask(text)];
    let at = start;
    const shown = characters.filter((character) => {
      const isShown = at >= offset;
      at += end - start === characters.length ? 1 : Buffer.byteLength(character);
      return isShown;
    });
    const next = end < total && shown.length > 0 ? String(end) : null;
    return { text: shown.join(''), total, next_cursor: next };
  }

  /** Returns runs without payloads, inputs and outputs. A page with fewer runs than `limit` may still have a cursor. */
  async list(
    organizationId: string,
    filter: RunFilter,
    page: { limit: number; cursor?: string },
  ): Promise<RunPage> {
    const after = readTimeCursor(page.cursor);
    const { found, next } = await this.search.find(organizationId, filter, after, page.limit);
    const ids = found.map(({ id }) => id);
    const runs = await this.search.read(organizationId, ids);
    const steps = groupByRun(await this.steps.listLast(organizationId, ids, LISTED_STEPS));
    const counts = await this.steps.count(organizationId, ids);
    return {
      runs: runs.map((run) =>
        runView({
          run,
          payload: {},
          steps: (steps.get(run.id) ?? []).map((step) => listedStepView(run, step)),
          stepCount: counts.get(run.id) ?? 0,
        }),
      ),
      next_cursor: next ? timeCursor({ createdAt: next.at, id: next.id }) : null,
    };
  }

  /** Returns the next steps that fit into one page, and the position of the last one if there are more steps. */
  private async readPage(
    run: Run,
    after: StepPosition | undefined,
  ): Promise<{ steps: RunStepView[]; last: ShownStep | undefined }> {
    const { organizationId, id } = run;
    const steps: RunStepView[] = [];
    let bytes = 0;
    let last: ShownStep | undefined;
    for (const limit of [FIRST_STEPS, STEPS_PER_PAGE - FIRST_STEPS]) {
      const rows = await this.steps.list(organizationId, id, last ?? after, limit + 1);
      for (const row of rows.slice(0, limit)) {
        const view = stepView(run, row);
        bytes += encodedBytes(view);
        // A page has at least one step.
        if (last && bytes > MAX_PAGE_BYTES) return { steps, last };
        steps.push(view);
        last = row;
      }
      if (rows.length <= limit) return { steps, last: undefined };
    }
    return { steps, last };
  }

  /** Reads a part of a value. Positions count characters, or bytes in a large payload. */
  private async readPart(
    organizationId: string,
    { run_id: runId, step_id: stepId, value, limit }: GetRunValueInput,
    offset: number,
  ): Promise<{ text: string; total: number; start: number; end: number }> {
    await this.runs.get(organizationId, runId);
    if (value !== 'payload') {
      const part = { stepId, value, offset, limit };
      const found = await this.steps.readText(organizationId, runId, part);
      return inCharacters(assertFound(found, `step with this ${value}`), offset);
    }
    const found = await this.steps.readPayload(organizationId, runId, offset, limit);
    if (found.text !== null) return inCharacters({ ...found, text: found.text }, offset);
    const { total } = found;
    return {
      ...(await this.largePayloads.readText(organizationId, runId, offset, limit)),
      total,
    };
  }

  private async payloadOf(
    organizationId: string,
    id: string,
    { payload, payloadBytes, hasLargePayload }: RunDetails,
  ): Promise<PayloadView> {
    if (hasLargePayload) {
      const preview = await this.largePayloads.preview(organizationId, id);
      return { payload_cut: { bytes: payloadBytes, preview } };
    }
    if (payload.length === payloadBytes) return { payload: parsePayload(payload) };
    return { payload_cut: { bytes: payloadBytes, preview: payload.toString() } };
  }

  /**
   * Adds the current steps, which may have no rows, at the end. Adds no steps to a run that has too many stored steps
   * to compute its current ones.
   */
  private async withCurrent(run: Run, reached: readonly RunStepView[]): Promise<RunStepView[]> {
    if (!hasCurrentSteps(run)) return [...reached];
    const { organizationId, id, workflowId, workflowVersion } = run;
    const steps = await this.workflows.getRunSteps(organizationId, workflowId, workflowVersion);
    const planned = await this.steps.plan(organizationId, id);
    if (!planned) return [...reached];
    const current = currentSteps(steps, planned);
    const paths = current.map(({ path }) => path);
    const rows = await this.steps.find(organizationId, id, paths);
    const entries = new Map(rows.map((row) => [row.stepId, row]));
    return [
      ...reached.filter((step) => !paths.includes(step.id)),
      ...current.map((step) => currentStepView(run, step, entries.get(step.path))),
    ];
  }
}

/**
 * Returns the size of a value in an answer of MCP. The answer contains the value twice: as structured content and as
 * text.
 */
function encodedBytes(value: object): number {
  const text = JSON.stringify(value);
  return Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text));
}

function inCharacters({ text, total }: { text: string; total: number }, start: number) {
  return { text, total, start, end: start + [...text].length };
}

function readStepCursor(cursor: string | undefined): StepPosition | undefined {
  if (cursor === undefined) return undefined;
  const [position, stepId, ...more] = readCursor(cursor);
  const isStep = typeof stepId === 'string' && stepId.length <= 1024 && !stepId.includes('\0');
  if (
    Number.isInteger(position) &&
    Math.abs(Number(position)) < 2 ** 31 &&
    isStep &&
    !more.length
  ) {
    return { position: Number(position), stepId };
  }
  throw AppError.invalidField('cursor', 'must be next_cursor of the previous page');
}

function groupByRun(steps: readonly ShownStep[]): Map<string, ShownStep[]> {
  const groups = new Map<string, ShownStep[]>();
  for (const step of steps) {
    const group = groups.get(step.runId);
    if (group) group.push(step);
    else groups.set(step.runId, [step]);
  }
  return groups;
}
