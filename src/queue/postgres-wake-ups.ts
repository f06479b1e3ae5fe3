import { type BeforeApplicationShutdown, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { ChannelListener } from '../database/notifications/channel-listener.js';
import type { DatabaseAccess } from '../database/setup/database-access.js';
import type { NotificationSender } from '../database/notifications/notification-sender.js';
import { toError } from '../errors/app-error.js';
import { type WakeUpConsumer, type WakeUpKind, WakeUps } from './wake-ups.js';

const CHANNEL = 'switchboard_wake_up';

/** Wake-ups through LISTEN and NOTIFY: nothing but the database is needed. */
export class PostgresWakeUps
  extends WakeUps
  implements BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly logger = new Logger(PostgresWakeUps.name);
  private readonly consumers = new Map<string, WakeUpConsumer>();
  private listener?: ChannelListener;
  private paused = false;

  constructor(
    private readonly sender: NotificationSender,
    private readonly access: DatabaseAccess,
  ) {
    super();
  }

  wake(kind: WakeUpKind, id: string, at?: Date, organizationId?: string): void {
    // Nothing here waits for a later time; every worker looks for due rows once a second anyway.
    if (at && at.getTime() > Date.now()) return;
    const whose = organizationId === undefined ? '' : `@${organizationId}`;
    this.sender.send(CHANNEL, `${kind}${whose}`, id);
  }

  consume(kind: WakeUpKind, consumer: WakeUpConsumer): void {
    this.consumers.set(kind, consumer);
    this.listener ??= new ChannelListener(this.access, CHANNEL, {
      receive: (payload) => this.hand(payload),
    });
  }

  async pause(): Promise<void> {
    this.paused = true;
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.pause();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.listener?.stop();
  }

  private hand(payload: string): void {
    if (this.paused) return;
    const [subject = '', ...ids] = payload.split(' ');
    const [kind = '', organizationId] = subject.split('@');
    const consumer = this.consumers.get(kind);
    for (const id of ids) {
      consumer?.handle(id, organizationId).catch((error: unknown) => {
        this.logger.error(`Handling a hint failed: ${toError(error).message}`);
      });
    }
  }
}
