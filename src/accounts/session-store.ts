import { createHash } from 'node:crypto';
import connectPgSimple from 'connect-pg-simple';
import session, { type SessionData } from 'express-session';
import type { Pool } from 'pg';
import { mapDatabaseError } from '../database/database-error.js';

const PRUNE_SECONDS = 15 * 60;
/** A session ends this long after it began, however much it is used (ASVS 5.0, 7.3.2). */
export const ABSOLUTE_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;
/** A session ends when it was not used for this long (ASVS 5.0, 7.3.1). */
export const IDLE_LIFETIME_MS = 12 * 60 * 60 * 1000;

declare module 'express-session' {
  interface SessionData {
    /** When the session began, in milliseconds since the epoch. */
    startedAt?: number;
  }
}

const PgStore = connectPgSimple(session);
type Callback<T = unknown> = (error?: unknown, value?: T) => void;

/** Sessions in PostgreSQL under the SHA-256 of their id: whoever reads the table cannot take a session over. */
export class SessionStore extends PgStore {
  constructor(pool: Pool) {
    super({
      pool,
      schemaName: 'gate',
      tableName: 'sessions',
      pruneSessionInterval: PRUNE_SECONDS,
    });
  }

  override get(sid: string, done: (error: unknown, data?: SessionData | null) => void): void {
    super.get(digest(sid), (error: unknown, data?: SessionData | null) => {
      const expired =
        data?.startedAt !== undefined && Date.now() - data.startedAt > ABSOLUTE_LIFETIME_MS;
      done(mapped(error), expired ? null : data);
    });
  }

  override set(sid: string, data: SessionData, done?: Callback): void {
    data.startedAt ??= Date.now();
    super.set(digest(sid), data, (error: unknown) => done?.(mapped(error)));
  }

  override destroy(sid: string, done?: Callback): void {
    super.destroy(digest(sid), (error: unknown) => done?.(mapped(error)));
  }

  override touch(sid: string, data: SessionData, done?: () => void): void {
    super.touch(digest(sid), data, done);
  }
}

/** A database that is away says nothing against the session: it is a 503, as for every other statement. */
function mapped(error: unknown): unknown {
  return error ? mapDatabaseError(error) : error;
}

function digest(sid: string): string {
  return createHash('sha256').update(sid).digest('base64url');
}
