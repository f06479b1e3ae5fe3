import { Injectable } from '@nestjs/common';
import { keptContact } from '../contacts/contact-statements.js';
import { prepared } from '../database/driver/statement.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { TimePosition } from '../paging/paging.js';

const PREVIEW_CHARACTERS = 500;

/** An event that was emitted, with the numbers of runs that it started and continued. */
export interface StoredEvent {
  id: string;
  name: string;
  createdAt: Date;
  contactId: string | null;
  runId: string | null;
  dataBytes: number;
  dataPreview: string;
  startedRuns: number;
  continuedRuns: number;
}

const INSERT = prepared(
  'custom_event_insert',
  `insert into custom_events
     (organization_id, id, name, contact_id, run_id, data_bytes, data_preview, started_runs)
   values ($1, $2, $3, coalesce(${keptContact('$4')}, $4), $5, $6, $7, $8)`,
);

/** Stores the list of emitted events. Every method needs a transaction of the organization. */
@Injectable()
export class CustomEventsRepository {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Queues the insert of an event with the beginning of its data. */
  insert(
    organizationId: string,
    event: Pick<StoredEvent, 'id' | 'name' | 'contactId' | 'runId' | 'startedRuns'> & {
      data: object;
    },
  ): void {
    const json = JSON.stringify(event.data);
    this.tenants.session(organizationId).defer(INSERT, [
      organizationId,
      event.id,
      event.name,
      event.contactId,
      event.runId,
      Buffer.byteLength(json),
      // slice() may split a surrogate pair, which toWellFormed() repairs. PostgreSQL cannot store NUL, but in JSON it
      // is an escape sequence.
      json.slice(0, PREVIEW_CHARACTERS).toWellFormed(),
      event.startedRuns,
    ]);
  }

  async addContinued(organizationId: string, id: string, runs: number): Promise<void> {
    await this.tenants.session(organizationId).query(
      `update custom_events set continued_runs = continued_runs + $3
       where organization_id = $1 and id = $2`,
      [organizationId, id, runs],
    );
  }

  /**
   * Returns at most `limit` events that are older than `before`, newest first. A `name` that ends with `*` selects all
   * events whose names begin with the text before the `*`.
   */
  async list(
    organizationId: string,
    name: string | undefined,
    before: TimePosition | undefined,
    limit: number,
  ): Promise<StoredEvent[]> {
    const isPrefix = name?.endsWith('*') ?? false;
    return await this.tenants.session(organizationId).query<StoredEvent>(
      `select id, name, emitted_at as "createdAt", contact_id as "contactId", run_id as "runId",
         data_bytes as "dataBytes", data_preview as "dataPreview", started_runs as "startedRuns",
         continued_runs as "continuedRuns"
       from custom_events
       where organization_id = $1
         and ($2::timestamptz is null or (emitted_at, id) < ($2, $3::text))
         and ($4::text is null or name = $4) and ($5::text is null or starts_with(name, $5))
       order by emitted_at desc, id desc limit $6`,
      [
        organizationId,
        before?.at ?? null,
        before?.id ?? null,
        isPrefix ? null : (name ?? null),
        isPrefix ? name!.slice(0, -1) : null,
        limit,
      ],
    );
  }
}
