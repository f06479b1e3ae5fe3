import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { channelName } from '../database/notifications/channel-name.js';
import { ChannelListener } from '../database/notifications/channel-listener.js';
import { DatabaseAccess } from '../database/setup/database-access.js';
import { NotificationSender } from '../database/notifications/notification-sender.js';
import { toError } from '../errors/app-error.js';
import { canWake, type WakeUpHandler, type WakeUpKind, WakeUps } from './wake-ups.js';

@Injectable()
export class PostgresWakeUps extends WakeUps implements OnApplicationShutdown {
  private readonly logger = new Logger(PostgresWakeUps.name);
  private listener?: ChannelListener;
  private readonly channelName: string;
  private isPaused = false;

  constructor(
    private readonly sender: NotificationSender,
    private readonly access: DatabaseAccess,
  ) {
    super();
    this.channelName = channelName('switchboard_wake_up', access.contextKey);
  }

  wake(kind: WakeUpKind, id: string, at?: Date, organizationId?: string): void {
    // Wake-ups for a later time are not needed, because every worker polls for due rows once a second.
    if (at && at.getTime() > Date.now()) return;
    if (!canWake(id)) return;
    const suffix = organizationId === undefined ? '' : `@${organizationId}`;
    this.sender.send(this.channelName, `${kind}${suffix}`, id);
  }

  override consume(kind: WakeUpKind, handler: WakeUpHandler): void {
    super.consume(kind, handler);
    this.listener ??= new ChannelListener(this.access, this.channelName, {
      receive: (payload) => this.deliver(payload),
    });
  }

  async pause(): Promise<void> {
    this.isPaused = true;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.listener?.stop();
  }

  private deliver(payload: string): void {
    if (this.isPaused) return;
    const [subject = '', ...ids] = payload.split(' ');
    const [kind = '', organizationId] = subject.split('@');
    const handle = this.handlers.get(kind);
    for (const id of ids) {
      handle?.(id, organizationId).catch((error: unknown) => {
        this.logger.error(`A wake-up failed; the poll finds the row: ${toError(error).message}`);
      });
    }
  }
}
