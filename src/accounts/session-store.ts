import { createHash } from 'node:crypto';
import connectPgSimple from 'connect-pg-simple';
import session, { type SessionData } from 'express-session';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { Account } from './account.js';
import { Batcher } from '../batching/batcher.js';
import { mapDatabaseError } from '../database/database-error.js';

/** A session is extended at most once in this time, so that most requests write nothing. */
const EXTEND_EVERY_MS = 60 * 1000;
const MOST_REMEMBERED = 10_000;
const PRUNE_SECONDS = 15 * 60;
/** The age in milliseconds at which a session ends, even if it is in use (ASVS 5.0, 7.3.2). */
export const ABSOLUTE_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;
/** The milliseconds without a request after which a session ends (ASVS 5.0, 7.3.1). */
export const IDLE_LIFETIME_MS = 12 * 60 * 60 * 1000;

/** The person of a session, and the organization in which the session acts. */
export interface SignedIn extends Pick<Account, 'userId' | 'organizationId'> {
  /**
   * The tag of the password that started the session. Sessions that an older version of Switchboard started have no
   * tag.
   */
  readonly passwordTag?: string;
  /** The address and the User-Agent of the sign-in. */
  readonly address?: string;
  readonly client?: string | undefined;
}

declare module 'express-session' {
  interface SessionData {
    /** The session started at this time, in milliseconds since the Unix epoch. */
    startedAt?: number;
    /** The signed-in person, in the form that passport stores. */
    passport?: { user?: SignedIn };
  }
}

const PgStore = connectPgSimple(session);
type Callback<T = unknown> = (error?: unknown, value?: T) => void;

/**
 * Stores sessions in PostgreSQL under the SHA-256 of their id, so that a reader of the table cannot hijack a session.
 */
export class SessionStore extends PgStore {
  /** The sessions that were extended recently. */
  private readonly extended = new LRUCache<string, true>({
    max: MOST_REMEMBERED,
    ttl: EXTEND_EVERY_MS,
  });

  /**
   * The look-ups of sessions. Look-ups at the same moment share a statement. Otherwise the requests of one person could
   * fill the queue of statements of the gate, and delay the look-ups and claims of all organizations.
   */
  private readonly reads = new Batcher<string, ReadonlyMap<string, SessionData>>((_, keys) =>
    this.readAll(keys),
  );

  /** `admit` gets the digest of a session before the session is read, and throws to refuse the request. */
  constructor(
    private readonly sessions: Pool,
    private readonly admit: (digest: string) => void,
  ) {
    super({
      pool: sessions,
      schemaName: 'gate',
      tableName: 'sessions',
      pruneSessionInterval: PRUNE_SECONDS,
    });
  }

  override get(sid: string, done: (error: unknown, data?: SessionData | null) => void): void {
    const key = digestOf(sid);
    try {
      this.admit(key);
    } catch (error) {
      done(error);
      return;
    }
    this.read(key).then((data) => done(null, data), done);
  }

  /** Returns the person of a session, or undefined when the session has ended. */
  async findPerson(sid: string): Promise<SignedIn | undefined> {
    return (await this.read(digestOf(sid)))?.passport?.user;
  }

  override set(sid: string, data: SessionData, done?: Callback): void {
    data.startedAt ??= Date.now();
    super.set(digestOf(sid), data, (error: unknown) => done?.(mapError(error)));
  }

  override destroy(sid: string, done?: Callback): void {
    super.destroy(digestOf(sid), (error: unknown) => done?.(mapError(error)));
  }

  override touch(sid: string, data: SessionData, done?: () => void): void {
    const key = digestOf(sid);
    if (this.extended.has(key)) {
      done?.();
      return;
    }
    this.extended.set(key, true);
    super.touch(key, data, done);
  }

  /** Reads a session without counting the request, so that the limit of requests cannot hide the end of the session. */
  private async read(key: string): Promise<SessionData | null> {
    const data = (await this.reads.add('', key)).result.get(key);
    const isExpired =
      data?.startedAt !== undefined && Date.now() - data.startedAt > ABSOLUTE_LIFETIME_MS;
    return isExpired ? null : (data ?? null);
  }

  private async readAll(keys: readonly string[]): Promise<ReadonlyMap<string, SessionData>> {
    try {
      const { rows } = await this.sessions.query<{ sid: string; sess: SessionData }>({
        name: 'gate_find_sessions',
        text: 'select sid, sess from gate.sessions where sid = any($1) and expire >= now()',
        values: [[...new Set(keys)]],
      });
      return new Map(rows.map(({ sid, sess }) => [sid, sess]));
    } catch (error) {
      throw mapDatabaseError(error);
    }
  }
}

/**
 * Maps database errors in the same way as for all other statements. Without this, clients would get 401 instead of 503
 * while the database is down.
 */
function mapError(error: unknown): unknown {
  return error ? mapDatabaseError(error) : error;
}

/** Returns the SHA-256 of a session id. People may see this digest. */
export function digestOf(sid: string): string {
  return createHash('sha256').update(sid).digest('base64url');
}
