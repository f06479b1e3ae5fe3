import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { IDEMPOTENCY_KEY, OrganizationTools } from '../../tools/registry/offered-tools.js';
import type { OwnTool, OwnToolSource } from '../../tools/registry/offered-tool.js';
import { ReportedFailure } from '../../tools/pipeline/tool-pipeline.js';
import { dtoSchema } from '../../tools/schema/dto-schema.js';
import type { ToolCall } from '../../tools/contract/tool-call.js';
import { OfferedRunResult } from '../runs/run.results.js';
import { PayloadContacts } from '../triggers/payload-contacts.service.js';
import { RunTasks } from '../runs/run-tasks.service.js';
import { RunWaiter } from '../runs/run-waiter.service.js';
import { RunStarts } from '../triggers/run-starts.service.js';
import type { WorkflowTool } from '../store/offered-workflow.entity.js';
import { WorkflowToolsRepository } from '../store/workflow-tools.repository.js';

const OUTPUT_SCHEMA = dtoSchema(OfferedRunResult);
/** What a workflow does may change from one call to the next, so the worst of each is said. */
const ANNOTATIONS = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
} as const;
const STILL_RUNNING = 'The run goes on by itself. Ask get_run with this run_id how it went.';

/** The active workflows that an organization offers to its agents, as tools. */
@Injectable()
export class OfferedWorkflows implements OwnToolSource, OnModuleInit {
  constructor(
    private readonly tools: OrganizationTools,
    private readonly offers: WorkflowToolsRepository,
    private readonly starts: RunStarts,
    private readonly contacts: PayloadContacts,
    private readonly waiter: RunWaiter,
  ) {}

  onModuleInit(): void {
    this.tools.use(this);
  }

  async list(organizationId: string): Promise<{ revision: string; tools: OwnTool[] }> {
    const offers = await this.offers.listActive(organizationId);
    return {
      // As gate.open_api_key makes it.
      revision: offers.map(({ revision }) => revision).join(' '),
      tools: offers.map((offer) => this.tool(offer)),
    };
  }

  async names(organizationId: string): Promise<string[]> {
    return (await this.offers.list(organizationId)).map(({ name }) => name);
  }

  private tool(offer: WorkflowTool): OwnTool {
    const { name, title, description, inputSchema, waitSeconds } = offer;
    return {
      descriptor: {
        name,
        title,
        description,
        inputSchema,
        outputSchema: OUTPUT_SCHEMA,
        annotations: ANNOTATIONS,
      },
      task: RunTasks,
      begin: (input, call) => this.begin(offer, input, call),
      outcome: (begun, call) => this.outcome(begun as OfferedRunResult, waitSeconds, call),
    };
  }

  private async begin(
    { workflowId }: WorkflowTool,
    input: Record<string, unknown>,
    { organizationId }: ToolCall,
  ): Promise<OfferedRunResult> {
    const { [IDEMPOTENCY_KEY]: _, ...payload } = input;
    const { runId } = await this.starts.start(organizationId, {
      workflowId,
      triggerType: 'tool',
      payload: Buffer.from(JSON.stringify(payload)),
      contactId: await this.contacts.find(organizationId, payload),
      // Calls that are repeated are told apart by the pipeline, which keeps what this returns.
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
