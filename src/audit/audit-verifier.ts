import { createHash } from 'node:crypto';
import type { Client } from 'pg';

const DAY_MS = 86_400_000;
// A purge deletes no entry that is younger than 90 days. The remaining day allows for a difference between the clocks
// of the database and of this process, which would otherwise report a purge as a fault.
const KEPT_DAYS = 89;
const MOST_FAULTS = 1000;
const BATCH = 50;

/** The end of a chain: the number of its entries, and the hash of the last entry in hexadecimal. */
export interface ChainHead {
  readonly organizationId: string;
  readonly position: bigint;
  readonly hash: string;
}

/** The position of the first entry that was chained on a day of UTC, for example `2026-11-27`. */
export interface ChainDay {
  readonly organizationId: string;
  readonly position: bigint;
  readonly day: string;
}

export interface Verification {
  readonly heads: readonly ChainHead[];
  /** The days whose entries no purge may delete yet. */
  readonly days: readonly ChainDay[];
  /** Descriptions of the changes that were found, such as a removed entry. At most 1000 descriptions. */
  readonly faults: readonly string[];
  readonly entries: number;
  /** The number of entries that are not chained yet. */
  readonly waiting: number;
}

interface Chain {
  organization_id: string;
  position: string;
  hash: Buffer;
  anchor_position: string;
  anchor_hash: Buffer;
}

interface Seal {
  last_position: string;
  entry_ids: string[];
  hashes: Buffer[];
  /** The contents of the entries, in the order of `entry_ids`. A missing entry has null. */
  contents: (string | null)[];
}

// Selects everything that gate.seal_audit_log() hashes. The expression is repeated here, because an attacker may have
// changed that function.
const SEALS = `
  select s.last_position, s.entry_ids, s.hashes, (
    select array_agg(json_build_array(a.organization_id, a.id,
      to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), a.actor_kind, a.actor_id, a.action, a.subject,
      a.outcome, encode(a.arguments_digest, 'hex'), a.duration_ms, a.address, a.request_id, a.client,
      a.unlogged)::text order by e.place)
    from unnest(s.entry_ids) with ordinality as e (id, place)
    left join public.audit_log a
      on a.organization_id = s.organization_id and a.at between s.first_at and s.last_at and a.id = e.id
  ) as contents
  from private.audit_seals s where s.organization_id = $1 and s.last_position > $2 order by s.last_position limit ${BATCH}`;

// When a sealed entry is no longer in the audit log, SEALS returns a JSON array that begins with null in its place.
const MISSING = '[null,';

const STRANGERS = `
  select a.organization_id, a.id from public.audit_log a
  left join (
    select s.organization_id, unnest(s.entry_ids) as id from private.audit_seals s
    union all select q.organization_id, q.id from private.audit_queue q
  ) as known on known.organization_id = a.organization_id and known.id = a.id
  where known.id is null order by a.organization_id, a.id limit ${MOST_FAULTS}`;

// Selects ids that several entries have. SEALS and STRANGERS find entries by id, so they would take an inserted entry for
// the chained entry that has the same id.
const DUPLICATES = `
  select a.organization_id, a.id from public.audit_log a
  group by a.organization_id, a.id having count(*) > 1 order by a.organization_id, a.id limit ${MOST_FAULTS}`;

// Selects the organizations that have seals but no chain. This means that somebody removed the chain.
const CHAINLESS = `
  select distinct s.organization_id from private.audit_seals s
  where not exists (select from private.audit_chains c where c.organization_id = s.organization_id)`;

const DAYS = `
  select s.organization_id as "organizationId", min(s.last_position - cardinality(s.entry_ids) + 1)::text as position,
    to_char(s.last_at at time zone 'UTC', 'YYYY-MM-DD') as day
  from private.audit_seals s where s.last_at >= ($1 || ' UTC')::timestamptz group by 1, 3
  order by 1, 3`;

/** Checks the chains of the audit log with the owner's connection, and trusts no function of the database. */
export class AuditVerifier {
  private readonly faults: string[] = [];
  private entries = 0;

  constructor(private readonly client: Client) {}

  /**
   * Checks all chains. `kept` and `keptDays` are the ends and the days of chains from an earlier run, which an attacker
   * could not change.
   */
  async verify(
    kept: readonly ChainHead[],
    keptDays: readonly ChainDay[] = [],
  ): Promise<Verification> {
    // All statements see the same snapshot, so entries that are written meanwhile are not reported as faults.
    await this.client.query('begin isolation level repeatable read read only');
    try {
      // Somebody may have set a search_path for the database or the role. Without this statement, a query could then
      // call functions of other schemas that have the names of functions of PostgreSQL.
      await this.client.query('set local search_path = pg_catalog');
      const { rows: chains } = await this.client.query<Chain>(
        'select * from private.audit_chains order by organization_id',
      );
      for (const chain of chains) {
        const ofChain = kept.filter(({ organizationId: id }) => id === chain.organization_id);
        await this.verifyChain(chain, ofChain);
        this.verifyBeginning(chain, keptDays);
      }
      this.findRemovedChains(chains, kept);
      await this.findStrangers();
      const { rows } = await this.client.query<{ waiting: number }>(
        'select count(*)::integer as waiting from private.audit_queue',
      );
      return {
        heads: chains.map((chain) => ({
          organizationId: chain.organization_id,
          position: BigInt(chain.position),
          hash: chain.hash.toString('hex'),
        })),
        days: await this.findDays(),
        faults: this.faults,
        entries: this.entries,
        waiting: rows[0]!.waiting,
      };
    } finally {
      await this.client.query('rollback');
    }
  }

  private async verifyChain(chain: Chain, kept: readonly ChainHead[]): Promise<void> {
    const { organization_id: id } = chain;
    const expected = new Map(kept.map(({ position, hash }) => [position, hash]));
    const anchor = BigInt(chain.anchor_position);
    // These entries were deleted, and nothing is left to compare. verifyBeginning() reports entries that are too young
    // for a purge.
    for (const position of expected.keys()) if (position < anchor) expected.delete(position);
    let position = anchor;
    let hash = chain.anchor_hash;
    const compare = (): void => {
      const before = expected.get(position);
      expected.delete(position);
      if (before !== undefined && before !== hash.toString('hex')) {
        this.report(`${id}: the chain differs from the earlier end at position ${position}.`);
      }
    };
    compare();
    let after = '-1';
    for (;;) {
      const { rows } = await this.client.query<Seal>(SEALS, [id, after]);
      if (rows.length === 0) break;
      for (const seal of rows) {
        after = seal.last_position;
        seal.entry_ids.forEach((entryId, index) => {
          position += 1n;
          hash = this.verifyEntry(id, entryId, seal, index, hash);
          compare();
        });
        if (position !== BigInt(seal.last_position)) {
          this.report(
            `${id}: entries are missing in the chain before position ${seal.last_position}.`,
          );
          position = BigInt(seal.last_position);
        }
      }
    }
    if (position !== BigInt(chain.position) || !hash.equals(chain.hash)) {
      this.report(`${id}: the end of the chain was removed or changed after position ${position}.`);
    }
    for (const missing of expected.keys()) {
      this.report(`${id}: the earlier end at position ${missing} is no longer in the chain.`);
    }
  }

  /**
   * Reports missing first entries that are too young for a purge. Without this check, an attacker could delete entries
   * of any age and move the stored beginning of the chain, as a purge does.
   */
  private verifyBeginning(chain: Chain, keptDays: readonly ChainDay[]): void {
    const { organization_id: id } = chain;
    const anchor = BigInt(chain.anchor_position);
    const firstKept = firstKeptDay();
    const removed = keptDays.find(
      ({ organizationId, position, day }) =>
        organizationId === id && position <= anchor && day >= firstKept,
    );
    if (!removed) return;
    const { position, day } = removed;
    this.report(
      `${id}: entries from position ${position} on were removed too early: entries of ${day} are kept for 90 days.`,
    );
  }

  private async findDays(): Promise<ChainDay[]> {
    const { rows } = await this.client.query<Omit<ChainDay, 'position'> & { position: string }>(
      DAYS,
      [firstKeptDay()],
    );
    return rows.map((row) => ({ ...row, position: BigInt(row.position) }));
  }

  /**
   * Checks an entry and returns its stored hash. The next entry is checked with this stored hash, so a changed entry is
   * only one fault.
   */
  private verifyEntry(
    id: string,
    entryId: string,
    { contents, hashes }: Seal,
    index: number,
    previous: Buffer,
  ): Buffer {
    this.entries += 1;
    const content = contents[index];
    const stored = hashes[index];
    if (!stored) {
      this.report(`${id}: the hash of entry ${entryId} was removed.`);
      return previous;
    }
    if (content === undefined || content === null || content.startsWith(MISSING)) {
      this.report(`${id}: entry ${entryId} was removed.`);
      return stored;
    }
    const hash = createHash('sha256').update(previous).update(content).digest();
    if (!hash.equals(stored)) {
      this.report(`${id}: entry ${entryId}, or an earlier part of the chain, was changed.`);
    }
    return stored;
  }

  private findRemovedChains(chains: readonly Chain[], kept: readonly ChainHead[]): void {
    const known = new Set(chains.map(({ organization_id: id }) => id));
    const removed = new Set(kept.map(({ organizationId }) => organizationId));
    for (const id of removed) {
      if (!known.has(id)) this.report(`${id}: the audit log was removed, with its chain.`);
    }
  }

  private async findStrangers(): Promise<void> {
    const chainless = await this.client.query<{ organization_id: string }>(CHAINLESS);
    for (const { organization_id: id } of chainless.rows) {
      this.report(`${id}: the end of the chain was removed.`);
    }
    const { rows } = await this.client.query<{ organization_id: string; id: string }>(STRANGERS);
    for (const { organization_id: id, id: entryId } of rows) {
      this.report(`${id}: entry ${entryId} was inserted without the service.`);
    }
    const duplicates = await this.client.query<{ organization_id: string; id: string }>(DUPLICATES);
    for (const { organization_id: id, id: entryId } of duplicates.rows) {
      this.report(`${id}: several entries have the id ${entryId}.`);
    }
  }

  private report(fault: string): void {
    if (this.faults.length < MOST_FAULTS) this.faults.push(fault);
  }
}

/** Returns the first day whose entries no purge may delete yet. */
function firstKeptDay(): string {
  return new Date(Date.now() - KEPT_DAYS * DAY_MS).toISOString().slice(0, 10);
}
