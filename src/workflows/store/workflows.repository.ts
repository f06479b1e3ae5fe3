import { Injectable } from '@nestjs/common';
import { IsNull, type Repository } from 'typeorm';
import { ChangeFeed, resourceChange } from '../../changes/change-feed.js';
import { prepared } from '../../database/driver/statement.js';
import { TenantDatabase } from '../../database/transactions/tenant-database.js';
import { AppError } from '../../errors/app-error.js';
import type { EventName } from '../../events/domain-events.js';
import type { TimePosition } from '../../paging/paging.js';
import { withContactStep } from '../definitions/contact-mapping.js';
import type { Step } from '../definitions/definition.js';
import { MAX_STORED_BYTES, readStoredSteps } from '../definitions/stored-steps.js';
import { withTimeoutStep } from '../definitions/steps/timeout-step.js';
import { WorkflowVersion } from './workflow-version.entity.js';
import { Workflow } from './workflow.entity.js';

type WorkflowContent = Omit<
  Workflow,
  'organizationId' | 'id' | 'createdAt' | 'updatedAt' | 'deletedAt'
>;

/** The current time in milliseconds. Cursors contain milliseconds, so the stored time must not be more precise. */
const NOW = (): string => `date_trunc('milliseconds', now())`;

// This statement is prepared, because every domain event sends it.
const FIND_TRIGGERED = prepared(
  'workflows_triggered',
  `select id, trigger_options as "triggerOptions" from workflows
   where organization_id = $1 and trigger_event = $2 and active and deleted_at is null order by created_at, id`,
);

const HAS_REVISION = prepared(
  'workflows_has_revision',
  'select from workflows where organization_id = $1 and id = $2 and xmin = $3::xid',
);

/** Stores workflows, and publishes each change of a workflow after its commit. */
@Injectable()
export class WorkflowsRepository {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly changes: ChangeFeed,
  ) {}

  async insert(
    organizationId: string,
    id: string,
    content: Partial<WorkflowContent>,
  ): Promise<void> {
    await this.rows(organizationId)
      .createQueryBuilder()
      .insert()
      .values({ organizationId, id, ...content, createdAt: NOW, updatedAt: NOW })
      .execute();
    this.changes.publish(organizationId, resourceChange('workflows', id));
  }

  async update(
    organizationId: string,
    id: string,
    changes: Partial<WorkflowContent & { deletedAt: () => string }>,
  ): Promise<void> {
    await this.rows(organizationId)
      .createQueryBuilder()
      .update()
      .set({ ...changes, updatedAt: NOW })
      .where({ organizationId, id, deletedAt: IsNull() })
      .execute();
    this.changes.publish(organizationId, resourceChange('workflows', id));
  }

  async find(organizationId: string, id: string): Promise<Workflow | null> {
    return await this.rows(organizationId).findOneBy({ organizationId, id, deletedAt: IsNull() });
  }

  /** Returns true when the workflow has not changed since the look-up that returned this revision. */
  async hasRevision(organizationId: string, id: string, revision: string): Promise<boolean> {
    const rows = await this.tenants
      .session(organizationId)
      .query(HAS_REVISION, [organizationId, id, revision]);
    return rows.length > 0;
  }

  /** Returns the workflow as {@link find} does. Throws `not_found` when there is no such workflow. */
  async get(organizationId: string, id: string): Promise<Workflow> {
    const found = await this.find(organizationId, id);
    if (!found) throw AppError.notFound('workflow');
    return found;
  }

  /** Returns the ids that belong to workflows of the organization. */
  async findExisting(organizationId: string, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.tenants
      .session(organizationId)
      .query<{ id: string }>(
        `select id from workflows where organization_id = $1 and id = any($2) and deleted_at is null`,
        [organizationId, ids],
      );
    return new Set(rows.map(({ id }) => id));
  }

  /** Returns the active workflows that the event starts, the oldest first. */
  async findTriggeredBy(
    organizationId: string,
    event: EventName,
  ): Promise<Pick<Workflow, 'id' | 'triggerOptions'>[]> {
    return await this.tenants
      .session(organizationId)
      .query(FIND_TRIGGERED, [organizationId, event]);
  }

  /**
   * Counts the active workflows that the event starts. Other transactions that call this method for the same event wait
   * until this transaction ends.
   */
  async countTriggeredBy(organizationId: string, event: EventName): Promise<number> {
    const lock = 'select lock_name($1, false)';
    await this.tenants.session(organizationId).query(lock, [`workflows ${event}`]);
    const triggered = { organizationId, triggerEvent: event, active: true, deletedAt: IsNull() };
    return await this.rows(organizationId).countBy(triggered);
  }

  /** Returns the name of a workflow, even of a deleted workflow. */
  async getName(organizationId: string, id: string): Promise<string> {
    const found = await this.rows(organizationId).findOneByOrFail({ organizationId, id });
    return found.name;
  }

  /** Returns the workflow as {@link get} does, and locks it until the transaction ends. */
  async getForUpdate(organizationId: string, id: string): Promise<Workflow> {
    const found = await this.rows(organizationId).findOne({
      where: { organizationId, id, deletedAt: IsNull() },
      lock: { mode: 'pessimistic_write' },
    });
    if (!found) throw AppError.notFound('workflow');
    return found;
  }

  /**
   * Locks a workflow until the transaction ends, so that other transactions that change or delete it wait. Returns
   * false when there is no such workflow.
   */
  async keep(organizationId: string, id: string): Promise<boolean> {
    const found = await this.rows(organizationId).findOne({
      where: { organizationId, id, deletedAt: IsNull() },
      select: { id: true },
      lock: { mode: 'pessimistic_read' },
    });
    return found !== null;
  }

  /** Returns ids of webhook workflows, among the newest 1000, whose id or name begins with the text. Ignores case. */
  async findWebhookIds(organizationId: string, text: string, limit: number): Promise<string[]> {
    const rows = await this.tenants.session(organizationId).query<{ id: string }>(
      `select id from (
         select id, name, created_at from workflows
         where organization_id = $1 and deleted_at is null and trigger_type = 'webhook'
         order by created_at desc, id desc limit 1000) newest
       where starts_with(lower(id), lower($2)) or starts_with(lower(name), lower($2))
       order by created_at desc, id desc limit $3`,
      [organizationId, text, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns at most `limit` secrets of other webhooks, the most recently changed first. */
  async findOtherSecrets(
    organizationId: string,
    id: string,
    limit: number,
  ): Promise<{ id: string; secret: Buffer }[]> {
    return await this.tenants.session(organizationId).query<{ id: string; secret: Buffer }>(
      `select id, secret from workflows
       where organization_id = $1 and id <> $2 and secret is not null and deleted_at is null
       order by updated_at desc limit $3`,
      [organizationId, id, limit],
    );
  }

  /** Returns at most `limit` workflows, newest first. With `after`, only workflows that come later in this order. */
  async list(
    organizationId: string,
    filter: { active?: boolean; after?: TimePosition; limit: number },
  ): Promise<Workflow[]> {
    const query = this.rows(organizationId)
      .createQueryBuilder('w')
      .where('w.organization_id = :organizationId and w.deleted_at is null', { organizationId });
    if (filter.active !== undefined) {
      query.andWhere('w.active = :active', { active: filter.active });
    }
    if (filter.after) query.andWhere('(w.created_at, w.id) < (:at, :id)', filter.after);
    return await query
      .orderBy('w.createdAt', 'DESC')
      .addOrderBy('w.id', 'DESC')
      .limit(filter.limit)
      .getMany();
  }

  /** Returns the steps of a version as they were saved. Throws `DefinitionTooLargeError`. */
  async getSteps(organizationId: string, workflowId: string, version: number): Promise<Step[]> {
    const found = await this.versions(organizationId).findOneOrFail({
      select: { steps: true },
      where: { organizationId, workflowId, version },
    });
    return readStoredSteps(found.steps);
  }

  /**
   * Returns the steps of a run of the version, with the generated steps for its timeout and for its contact. Throws
   * `DefinitionTooLargeError`.
   */
  async getRunSteps(
    organizationId: string,
    workflowId: string,
    version: number,
  ): Promise<readonly Step[]> {
    const found = await this.versions(organizationId).findOneOrFail({
      select: { steps: true, triggerContact: true, content: true },
      where: { organizationId, workflowId, version },
    });
    const steps = withContactStep(found.triggerContact, readStoredSteps(found.steps));
    return withTimeoutStep(found.content?.trigger.run_timeout_seconds, steps);
  }

  /**
   * Returns the steps of the newest version of each workflow, by workflow id. When the steps together have more than
   * `maxBytes`, leaves out the last of the given workflows, but never the first. Throws `DefinitionTooLargeError`,
   * which names the workflow.
   */
  async getNewestSteps(
    organizationId: string,
    ids: readonly string[],
    maxBytes: number,
  ): Promise<Map<string, Step[]>> {
    if (ids.length === 0) return new Map();
    const rows = await this.tenants
      .session(organizationId)
      .query<{ id: string; steps: Step[] | null }>(
        // Steps that are too large are not read. Reading them can fail, and the error would not name the workflow.
        `select id, case when own <= $4 then steps end as steps from (
         select w.id, v.steps, g.place, octet_length(v.steps::text) as own,
           sum(octet_length(v.steps::text)) over (order by g.place)::float8 as bytes
         from unnest($2::text[]) with ordinality as g (id, place)
         join workflows w on w.organization_id = $1 and w.id = g.id
         join workflow_versions v
           on v.organization_id = $1 and v.workflow_id = w.id and v.version = w.version) found
       where bytes <= $3 or place = 1`,
        [organizationId, ids, maxBytes, MAX_STORED_BYTES],
      );
    return new Map(rows.map(({ id, steps }) => [id, readStoredSteps(steps, id)]));
  }

  private rows(organizationId: string): Repository<Workflow> {
    return this.tenants.repository(organizationId, Workflow);
  }

  private versions(organizationId: string): Repository<WorkflowVersion> {
    return this.tenants.repository(organizationId, WorkflowVersion);
  }
}
