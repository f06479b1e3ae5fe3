import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { toError } from '../../errors/app-error.js';
import type { DatabaseAccess } from '../setup/database-access.js';

const RECONNECT_MS = 1000;
const PULSE_MS = 30_000;
const ANSWER_MS = 5000;

const ENDED = new Error('The connection ended before it was made.');

export interface ChannelHandlers {
  /** Takes a payload; must not throw. An empty one says that others were lost on their way. */
  receive(payload: string): void;
  /** The connection had broken and listens again; what was sent meanwhile is lost. Must not throw. */
  reconnected?(): void;
}

/**
 * Listens on one channel of the database until it is stopped, on a connection of its own, and connects again whenever
 * that one breaks or falls silent.
 */
export class ChannelListener {
  /** Settles with the first attempt to listen; later ones follow, also after a failure. */
  readonly listening: Promise<void>;
  private readonly logger = new Logger(ChannelListener.name);
  private loop: Promise<void>;
  private client?: Client;
  private stopped = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly access: DatabaseAccess,
    private readonly channel: string,
    private readonly handlers: ChannelHandlers,
    private readonly pulseMs = PULSE_MS,
  ) {
    this.listening = new Promise((resolve, reject) => {
      this.loop = this.listen(resolve, reject);
    });
    // Not everybody waits for it, and a rejection that nobody handles ends the process.
    this.listening.catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wake();
    await this.client?.end().catch(() => undefined);
    await this.loop;
  }

  private async listen(resolve: () => void, reject: (error: unknown) => void): Promise<void> {
    let begun = resolve;
    while (!this.stopped) {
      try {
        await this.listenOnce(begun);
      } catch (error) {
        reject(error);
        if (!this.stopped)
          this.logger.warn(`Listening for hints failed: ${toError(error).message}`);
      }
      begun = () => this.handlers.reconnected?.();
      if (!this.stopped) await this.rest();
    }
    reject(new Error('The listener was stopped.'));
  }

  private async listenOnce(begun: () => void): Promise<void> {
    const { host, port, database, ssl, gate } = this.access;
    const client = new Client({
      host,
      port,
      database,
      ssl,
      ...gate,
      application_name: 'switchboard listener',
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
    });
    this.client = client;
    const broken = new Promise<void>((resolve) => {
      client.once('end', resolve).on('error', () => resolve());
    });
    client.on('notification', ({ payload }) => this.handlers.receive(payload ?? ''));
    const listen = (): Promise<unknown> => client.query(`listen ${this.channel}`);
    let pulse: NodeJS.Timeout | undefined;
    try {
      // A client that is ended while it connects never says what became of that.
      await Promise.race([client.connect(), broken.then(() => Promise.reject(ENDED))]);
      await listen();
      if (this.stopped) return;
      begun();
      // A host that vanished closes nothing: without a question now and then, the silence would last for hours.
      const askLater = (): void => {
        pulse = setTimeout(() => listen().then(askLater, () => client.end()), this.pulseMs);
      };
      askLater();
      await broken;
    } finally {
      clearTimeout(pulse);
      await client.end().catch(() => undefined);
    }
  }

  private rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, RECONNECT_MS);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
