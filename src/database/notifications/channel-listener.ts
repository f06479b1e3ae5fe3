import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { toError } from '../../errors/app-error.js';
import type { DatabaseAccess } from '../setup/database-access.js';

const RECONNECT_MS = 1000;
const PULSE_MS = 30_000;
const TIMEOUT_MS = 5000;

const CONNECT_FAILED = new Error('The connection ended before it was established.');

export interface ChannelHandlers {
  /** Receives a payload, and must not throw. An empty payload means that payloads were lost. */
  receive(payload: string): void;
  /**
   * Is called when the listener is connected again, and must not throw. Notifications that were sent while it was not
   * connected are lost.
   */
  reconnected?(): void;
}

/** Listens on one notification channel, on its own connection. It reconnects until it is stopped. */
export class ChannelListener {
  /** A promise that settles after the first attempt to listen. After a failure, more attempts follow. */
  readonly listening: Promise<void>;
  private readonly logger = new Logger(ChannelListener.name);
  private loop: Promise<void>;
  private client?: Client;
  private readonly stopping = new AbortController();

  constructor(
    private readonly access: DatabaseAccess,
    private readonly channel: string,
    private readonly handlers: ChannelHandlers,
    private readonly pulseMs = PULSE_MS,
  ) {
    this.listening = new Promise((resolve, reject) => {
      this.loop = this.listen(resolve, reject);
    });
    // Not every caller waits for this promise, and an unhandled rejection would end the process.
    this.listening.catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.client?.end().catch(() => undefined);
    await this.loop;
  }

  private async listen(resolve: () => void, reject: (error: unknown) => void): Promise<void> {
    const { signal } = this.stopping;
    let onListening = resolve;
    while (!signal.aborted) {
      try {
        await this.listenOnce(onListening);
      } catch (error) {
        reject(error);
        if (!signal.aborted)
          this.logger.warn(
            `Listening on ${this.channel} failed; retrying: ${toError(error).message}`,
          );
      }
      onListening = () => this.handlers.reconnected?.();
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
    }
    reject(new Error('The listener was stopped.'));
  }

  private async listenOnce(onListening: () => void): Promise<void> {
    const client = new Client({
      ...this.access,
      ...this.access.gate,
      application_name: 'switchboard listener',
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      keepAlive: true,
    });
    this.client = client;
    const broken = new Promise<void>((resolve) => {
      client.once('end', resolve).on('error', () => resolve());
    });
    client.on('notification', ({ channel, payload }) => {
      // Behind a pooler, the session may still listen on the channel of a client that used the session before.
      if (channel === this.channel) this.handlers.receive(payload ?? '');
    });
    const listen = (): Promise<unknown> => client.query(`listen ${this.channel}`);
    let pulse: NodeJS.Timeout | undefined;
    try {
      // The promise of `connect` never settles when the client is ended before the connection is open.
      await Promise.race([client.connect(), broken.then(() => Promise.reject(CONNECT_FAILED))]);
      await listen();
      if (this.stopping.signal.aborted) return;
      onListening();
      // A host that vanishes closes no connection. Without these queries, the loss would stay unnoticed for hours.
      const schedulePulse = (): void => {
        pulse = setTimeout(() => listen().then(schedulePulse, () => client.end()), this.pulseMs);
      };
      schedulePulse();
      await broken;
    } finally {
      clearTimeout(pulse);
      await client.end().catch(() => undefined);
    }
  }
}
