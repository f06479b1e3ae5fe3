import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { IDEMPOTENCY_KEY, OfferedTools } from '../../tools/registry/offered-tools.js';
import type { OfferedTool, OfferedToolSource } from '../../tools/registry/offered-tool.js';
import { ReportedFailure } from '../../tools/contract/reported-failure.js';
import { classSchema } from '../../tools/schema/class-schema.js';
import type { ToolCall } from '../../tools/contract/tool-call.js';
import { OfferedRunResult } from '../runs/run.results.js';
import { PayloadContactsService } from '../triggers/payload-contacts.service.js';
import { RunTasksService } from '../runs/run-tasks.service.js';
import { RunWaiterService } from '../runs/run-waiter.service.js';
import { RunStartsService } from '../triggers/run-starts.service.js';
import type { OfferedWorkflow } from '../store/workflow.entity.js';
import { OfferedWorkflowsRepository } from '../store/offered-workflows.repository.js';
import { readInputSchema } from './input-schema.js';

const OUTPUT_SCHEMA = classSchema(OfferedRunResult);
/** The worst case for each annotation, because the steps of a workflow can change at any time. */
const ANNOTATIONS = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
} as const;
const STILL_RUNNING = 'The run continues. Call get_run with this run_id for its result.';

/** Provides the active offered workflows to the tool registry, which depends only on the interface of a tool source. */
@Injectable()
export class OfferedWorkflowSourceService implements OfferedToolSource, OnModuleInit {
  constructor(
    private readonly tools: OfferedTools,
    private readonly offered: OfferedWorkflowsRepository,
    private readonly starts: RunStartsService,
    private readonly contacts: PayloadContactsService,
    private readonly waiter: RunWaiterService,
  ) {}

  onModuleInit(): void {
    this.tools.use(this);
  }

  async list(
    organizationId: string,
  ): Promise<{ revision: string; tools: OfferedTool[]; characters: number }> {
    const offered = await this.offered.listActive(organizationId);
    return {
      // This text must equal the revision that gate.find_api_key returns, because cached lists are looked up by that
      // revision.
      revision: offered.map(({ revision }) => revision).join(' '),
      tools: offered.flatMap((workflow) => this.toolOf(workflow) ?? []),
      characters: JSON.stringify(offered).length,
    };
  }

  async names(organizationId: string): Promise<string[]> {
    return (await this.offered.list(organizationId)).map(({ name }) => name);
  }

  /** Returns the tool of an offer, or undefined when the stored schema of its arguments is invalid. */
  private toolOf(workflow: OfferedWorkflow): OfferedTool | undefined {
    const { name, title, description, waitSeconds } = workflow;
    const inputSchema = readInputSchema(workflow.inputSchema);
    if (!inputSchema) return undefined;
    return {
      descriptor: {
        name,
        title,
        description,
        inputSchema,
        outputSchema: OUTPUT_SCHEMA,
        annotations: ANNOTATIONS,
      },
      task: RunTasksService,
      start: (input, call) => this.begin(workflow, input, call),
      waitForResult: (started, call) =>
        this.outcome(started as OfferedRunResult, waitSeconds, call),
    };
  }

  private async begin(
    { workflowId }: OfferedWorkflow,
    input: Record<string, unknown>,
    { organizationId }: ToolCall,
  ): Promise<OfferedRunResult> {
    const { [IDEMPOTENCY_KEY]: _, ...payload } = input;
    const { runId } = await this.starts.start(organizationId, {
      workflowId,
      triggerType: 'tool',
      payload: Buffer.from(JSON.stringify(payload)),
      contactId: await this.contacts.find(organizationId, payload),
      // The pipeline recognizes repeated calls by their idempotency key, and stores the result.
      dedupeKey: null,
    });
    return { run_id: runId, status: 'running', message: STILL_RUNNING };
  }

  private async outcome(
    begun: OfferedRunResult,
    waitSeconds: number,
    { organizationId, signal, answerBy = Number.POSITIVE_INFINITY }: ToolCall,
  ): Promise<OfferedRunResult> {
    const left = Math.floor((answerBy - performance.now()) / 1000);
    const seconds = Math.min(waitSeconds, left);
    const state = await this.waiter.ended(organizationId, begun.run_id, seconds, signal);
    signal.throwIfAborted();
    switch (state?.status) {
      case 'succeeded':
        return state.result as OfferedRunResult;
      case 'failed':
        throw new ReportedFailure(state.error);
      case 'canceled':
        throw new ReportedFailure(
          new AppError('conflict', `Run ${begun.run_id} was canceled before it ended.`),
        );
      default:
        return begun;
    }
  }
}
