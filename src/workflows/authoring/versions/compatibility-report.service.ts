import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Env } from '../../../config/env.js';
import { isConnectionError } from '../../../database/database-error.js';
import { GateDatabase } from '../../../database/gate-database.js';
import { TenantDatabase } from '../../../database/transactions/tenant-database.js';
import { toError } from '../../../errors/app-error.js';
import { JoinedSignal } from '../../../http/signals.js';
import type { StepFinding } from '../../definitions/compatibility/compatibility.js';
import { ToolCompatibilityService } from '../../store/tool-compatibility.service.js';
import {
  type FittingVersion,
  type VersionKey,
  WorkflowVersionsRepository,
} from '../../store/workflow-versions.repository.js';
import { WorkflowsRepository } from '../../store/workflows.repository.js';

/** A saved step that does not fit the current tools. */
export interface BrokenStep extends StepFinding {
  organizationId: string;
  workflowId: string;
  workflowName: string;
  version: number;
}

interface OutdatedRow {
  organization_id: string;
  workflow_id: string;
  version: number;
  outdated: boolean;
}

/** The delay of the report, so that it does not slow down the first requests. */
const DELAY_MS = 1000;
const TIMEOUT_MS = 60_000;
/** The largest number of versions that one query reads, so that no query takes long. */
const PAGE_SIZE = 1000;
const MAX_LINES = 20;

/**
 * When a worker starts, logs the steps that do not fit the current tools. Checks the newest versions of active
 * workflows, and the versions of open runs. Never blocks the start or the readiness of the process.
 */
@Injectable()
export class CompatibilityReportService
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  private readonly logger = new Logger('Workflows');
  private readonly stopped = new AbortController();
  private timer?: NodeJS.Timeout;
  private writing?: Promise<void>;

  constructor(
    private readonly env: Env,
    private readonly gate: GateDatabase,
    private readonly tenants: TenantDatabase,
    private readonly versions: WorkflowVersionsRepository,
    private readonly tools: ToolCompatibilityService,
    private readonly workflows: WorkflowsRepository,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.env.runsWorker) return;
    this.timer = setTimeout(() => {
      this.writing = this.write();
    }, DELAY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    this.stopped.abort();
    await this.writing;
  }

  /** Returns all steps that do not fit the tools. Versions that fit are marked, so that the next start skips them. */
  async find(signal?: AbortSignal): Promise<BrokenStep[]> {
    const schemas = JSON.stringify(this.tools.current.schemas);
    const broken: BrokenStep[] = [];
    let last: OutdatedRow | undefined;
    do {
      const rows = await this.gate.call<OutdatedRow>('find_outdated_versions', [
        schemas,
        last?.organization_id ?? '',
        last?.workflow_id ?? '',
        last?.version ?? 0,
        PAGE_SIZE,
      ]);
      last = rows.at(-1);
      const outdated = rows.filter((row) => row.outdated);
      broken.push(...(await this.judge(outdated, signal)));
    } while (last && !signal?.aborted);
    return broken;
  }

  private async write(): Promise<void> {
    const over = new JoinedSignal([this.stopped.signal], TIMEOUT_MS);
    const { signal } = over;
    try {
      const broken = await this.find(signal);
      for (const step of broken.slice(0, MAX_LINES)) this.logger.warn(sentence(step));
      const more = broken.length - MAX_LINES;
      if (more > 0)
        this.logger.warn(`${more} more steps are broken. List them with: npm run check:workflows`);
      if (signal.aborted && !this.stopped.signal.aborted) {
        this.logger.warn(
          'The check of workflows stopped at its time limit. Check all with: npm run check:workflows',
        );
      }
    } catch (error) {
      if (this.stopped.signal.aborted) return;
      const { message } = toError(error);
      this.logger.warn(
        `The check of workflows failed. Check them with: npm run check:workflows. Reason: ${message}`,
      );
    } finally {
      over.end();
    }
  }

  private async judge(
    rows: readonly OutdatedRow[],
    signal: AbortSignal | undefined,
  ): Promise<BrokenStep[]> {
    const broken: BrokenStep[] = [];
    for (const organizationId of new Set(rows.map((row) => row.organization_id))) {
      const keys = rows
        .filter((row) => row.organization_id === organizationId)
        .map(({ workflow_id: workflowId, version }) => ({ workflowId, version }));
      broken.push(...(await this.judgeReadable(organizationId, keys, signal)));
    }
    return broken;
  }

  /**
   * Checks versions of one organization. When the check fails, checks the halves, down to single versions, and reports
   * each version that cannot be checked. Otherwise a version that SQL of a tool has stored would end the report for all
   * organizations. Throws only when the connection to the database fails.
   */
  private async judgeReadable(
    organizationId: string,
    keys: readonly VersionKey[],
    signal: AbortSignal | undefined,
  ): Promise<BrokenStep[]> {
    const [key] = keys;
    if (!key || signal?.aborted) return [];
    try {
      return await this.tenants.transaction(organizationId, () =>
        this.judgeOf(organizationId, keys),
      );
    } catch (error) {
      if (isOutage(error)) throw error;
      if (signal?.aborted) return [];
      if (keys.length === 1) return [await this.unreadable(organizationId, key, error)];
    }
    const half = Math.ceil(keys.length / 2);
    return [
      ...(await this.judgeReadable(organizationId, keys.slice(0, half), signal)),
      ...(await this.judgeReadable(organizationId, keys.slice(half), signal)),
    ];
  }

  private async unreadable(
    organizationId: string,
    { workflowId, version }: VersionKey,
    error: unknown,
  ): Promise<BrokenStep> {
    const { message } = toError(error);
    const workflowName = await this.tenants
      .transaction(organizationId, () => this.workflows.getName(organizationId, workflowId))
      .catch((thrown: unknown) => {
        // The workflow may be deleted meanwhile.
        if (isOutage(thrown)) throw thrown;
        return '';
      });
    const finding: StepFinding = { step: '', tool: '', effect: 'breaks', path: 'steps', message };
    return { ...finding, organizationId, workflowId, workflowName, version };
  }

  private async judgeOf(
    organizationId: string,
    keys: readonly VersionKey[],
  ): Promise<BrokenStep[]> {
    const { current } = this.tools;
    const broken: BrokenStep[] = [];
    const fitting: FittingVersion[] = [];
    for (const pinned of await this.versions.findPinned(organizationId, keys)) {
      // Yield, so that requests and runs of this process are served between two versions.
      await nextTurn();
      const { workflowId, workflowName, version, steps } = pinned;
      const place = { organizationId, workflowId, workflowName, version };
      const found = current.check(pinned).filter(({ effect }) => effect === 'breaks');
      broken.push(...found.map((step) => ({ ...step, ...place })));
      if (found.length > 0) continue;
      const looseReferences = current.looseReferences(steps);
      fitting.push({ workflowId, version, schemas: current.schemasOf(steps), looseReferences });
    }
    if (fitting.length > 0) await this.versions.markFitting(organizationId, fitting);
    return broken;
  }
}

/** Returns true when the error says nothing about a version, because the connection to the database failed. */
function isOutage(error: unknown): boolean {
  return isConnectionError(error) || isConnectionError(toError(error).cause);
}

function sentence(broken: BrokenStep): string {
  const { organizationId, workflowId, workflowName, version, step, path, message } = broken;
  return (
    `A step does not fit the current tools: ${organizationId}, workflow ${JSON.stringify(workflowName)} ` +
    `(${workflowId}), version ${version}, step ${step}: ${path} ${message}`
  );
}
