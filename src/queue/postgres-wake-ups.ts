import { type BeforeApplicationShutdown, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Client } from 'pg';
import type { DatabaseAccess } from '../database/database-access.js';
import type { GateDatabase } from '../database/gate-database.js';
import { toError } from '../errors/app-error.js';
import { type WakeUpConsumer, type WakeUpKind, WakeUps } from './wake-ups.js';

const CHANNEL = 'switchboard_wake_up';
const RECONNECT_MS = 1000;
/** Hints kept while the database does not answer; what is beyond is left to the sweep. */
const MOST_PENDING = 10_000;

/** Wake-ups through LISTEN and NOTIFY: nothing but the database is needed. */
export class PostgresWakeUps
  extends WakeUps
  implements BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly logger = new Logger(PostgresWakeUps.name);
  private readonly consumers = new Map<string, WakeUpConsumer>();
  private pending = new Set<string>();
  private sending = false;
  private sendFailed = false;
  private listener?: Promise<void>;
  private client?: Client;
  private paused = false;
  private closed = false;
  private wakeListener: () => void = () => undefined;

  constructor(
    private readonly gate: GateDatabase,
    private readonly access: DatabaseAccess,
  ) {
    super();
  }

  wake(kind: WakeUpKind, id: string, at?: Date): void {
    // Nothing here waits for a later time; every worker looks for due rows once a second anyway.
    if (this.closed || (at && at.getTime() > Date.now())) return;
    if (this.pending.size >= MOST_PENDING) return;
    this.pending.add(`${kind}:${id}`);
    if (this.sending) return;
    this.sending = true;
    // All hints of one turn of the event loop share a statement.
    setImmediate(() => void this.send());
  }

  consume(kind: WakeUpKind, consumer: WakeUpConsumer): void {
    this.consumers.set(kind, consumer);
    this.listener ??= this.listen();
  }

  async pause(): Promise<void> {
    this.paused = true;
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.pause();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    this.wakeListener();
    await this.client?.end().catch(() => undefined);
    await this.listener;
  }

  private async send(): Promise<void> {
    while (this.pending.size > 0) {
      const hints = [...this.pending];
      this.pending = new Set();
      try {
        await this.gate.pool.query(
          `select pg_notify('${CHANNEL}', hint) from unnest($1::text[]) as hint`,
          [hints],
        );
        this.sendFailed = false;
      } catch (error) {
        // Dropped, not kept: the sweep finds the rows, and hints would pile up for as long as the outage lasts.
        if (!this.sendFailed) this.logger.warn(`Sending a hint failed: ${toError(error).message}`);
        this.sendFailed = true;
      }
    }
    this.sending = false;
  }

  /** Listens until the service stops, on a connection of its own, and connects again whenever that one breaks. */
  private async listen(): Promise<void> {
    while (!this.closed) {
      try {
        await this.listenOnce();
      } catch (error) {
        if (!this.closed) this.logger.warn(`Listening for hints failed: ${toError(error).message}`);
      }
      if (!this.closed) await this.rest();
    }
  }

  private async listenOnce(): Promise<void> {
    const { host, port, database, ssl, gate } = this.access;
    const client = new Client({
      host,
      port,
      database,
      ssl,
      ...gate,
      application_name: 'switchboard listener',
      connectionTimeoutMillis: 5000,
      keepAlive: true,
    });
    this.client = client;
    const broken = new Promise<void>((resolve) => {
      client.once('end', resolve).on('error', () => resolve());
    });
    client.on('notification', ({ payload }) => this.hand(payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      if (!this.closed) await broken;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  private rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, RECONNECT_MS);
      this.wakeListener = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private hand(payload: string): void {
    if (this.paused) return;
    const colon = payload.indexOf(':');
    const consumer = this.consumers.get(payload.slice(0, colon));
    consumer?.handle(payload.slice(colon + 1)).catch((error: unknown) => {
      this.logger.error(`Handling a hint failed: ${toError(error).message}`);
    });
  }
}
