import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Env } from '../../../config/env.js';
import { GateDatabase } from '../../../database/gate-database.js';
import { TenantDatabase } from '../../../database/transactions/tenant-database.js';
import { toError } from '../../../errors/app-error.js';
import { JoinedSignal } from '../../../http/signals.js';
import type { Compatibility, StepFinding } from '../../definitions/compatibility/compatibility.js';
import { ToolCompatibility } from '../../store/tool-compatibility.service.js';
import {
  type FittingVersion,
  type NamedVersion,
  type VersionKey,
  WorkflowVersionsRepository,
} from '../../store/workflow-versions.repository.js';

/** A step that a tool of this process breaks, and where it is. */
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

/** The first requests come first. */
const DELAY_MS = 1000;
const MOST_MS = 60_000;
/** Versions that one question looks at: each is short, however much there is. */
const PAGE = 1000;
const MOST_LINES = 20;

/**
 * Tells at start, in the log of workers, which workflows the tools of this process break: the newest versions of active
 * ones, and those that runs keep to. It never keeps a process from starting, and is no part of being ready.
 */
@Injectable()
export class CompatibilityReport implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Workflows');
  private readonly stopped = new AbortController();
  private timer?: NodeJS.Timeout;
  private writing?: Promise<void>;

  constructor(
    private readonly env: Env,
    private readonly gate: GateDatabase,
    private readonly tenants: TenantDatabase,
    private readonly versions: WorkflowVersionsRepository,
    private readonly tools: ToolCompatibility,
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

  /**
   * Every step that the present tools break. Versions that fit are noted as such, so that the next start does not read
   * them again.
   */
  async find(signal?: AbortSignal): Promise<BrokenStep[]> {
    const { current } = this.tools;
    const schemas = JSON.stringify(current.schemas);
    const broken: BrokenStep[] = [];
    let last: OutdatedRow | undefined;
    do {
      const rows = await this.gate.call<OutdatedRow>('find_outdated_versions', [
        schemas,
        last?.organization_id ?? '',
        last?.workflow_id ?? '',
        last?.version ?? 0,
        PAGE,
      ]);
      last = rows.at(-1);
      const outdated = rows.filter((row) => row.outdated);
      broken.push(...(await this.judge(outdated, current)));
    } while (last && !signal?.aborted);
    return broken;
  }

  private async write(): Promise<void> {
    const over = new JoinedSignal([this.stopped.signal], MOST_MS);
    const { signal } = over;
    try {
      const broken = await this.find(signal);
      for (const step of broken.slice(0, MOST_LINES)) this.logger.warn(sentence(step));
      const more = broken.length - MOST_LINES;
      if (more > 0) this.logger.warn(`${more} more steps are broken: npm run check:workflows`);
      if (signal.aborted && !this.stopped.signal.aborted) {
        this.logger.warn('Not every workflow was checked in time: npm run check:workflows');
      }
    } catch (error) {
      if (this.stopped.signal.aborted) return;
      this.logger.warn(`Workflows were not checked: ${toError(error).message}`);
    } finally {
      over.end();
    }
  }

  private async judge(
    rows: readonly OutdatedRow[],
    compatibility: Compatibility,
  ): Promise<BrokenStep[]> {
    const broken: BrokenStep[] = [];
    for (const [organizationId, keys] of byOrganization(rows)) {
      broken.push(
        ...(await this.tenants.transaction(organizationId, () =>
          this.judgeOf(organizationId, keys, compatibility),
        )),
      );
    }
    return broken;
  }

  private async judgeOf(
    organizationId: string,
    keys: readonly VersionKey[],
    compatibility: Compatibility,
  ): Promise<BrokenStep[]> {
    const broken: BrokenStep[] = [];
    const fitting: FittingVersion[] = [];
    for (const version of await this.versions.pinned(organizationId, keys)) {
      // Requests and runs of this process go on in between.
      await nextTurn();
      const found = compatibility.check(version).filter(({ effect }) => effect === 'breaks');
      broken.push(...found.map((step) => ({ ...step, ...placeOf(organizationId, version) })));
      if (found.length > 0) continue;
      const { workflowId, version: number, steps } = version;
      fitting.push({
        workflowId,
        version: number,
        schemas: compatibility.schemasOf(steps),
        looseReferences: compatibility.looseReferences(steps),
      });
    }
    if (fitting.length > 0) await this.versions.markFitting(organizationId, fitting);
    return broken;
  }
}

function placeOf(
  organizationId: string,
  { workflowId, workflowName, version }: NamedVersion,
): Omit<BrokenStep, keyof StepFinding> {
  return { organizationId, workflowId, workflowName, version };
}

function byOrganization(rows: readonly OutdatedRow[]): Map<string, VersionKey[]> {
  const found = new Map<string, VersionKey[]>();
  for (const { organization_id: organizationId, workflow_id: workflowId, version } of rows) {
    found.set(organizationId, [...(found.get(organizationId) ?? []), { workflowId, version }]);
  }
  return found;
}

function sentence(broken: BrokenStep): string {
  const { organizationId, workflowId, workflowName, version, step, path, message } = broken;
  return (
    `The tools of this process break a step: ${organizationId}, workflow ${JSON.stringify(workflowName)} ` +
    `(${workflowId}), version ${version}, step ${step}: ${path} ${message}`
  );
}
