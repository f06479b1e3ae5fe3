import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { unavailable } from '../database/database-error.js';
import { channelName } from '../database/notifications/channel-name.js';
import { ChannelListener } from '../database/notifications/channel-listener.js';
import { NotificationSender } from '../database/notifications/notification-sender.js';
import { DatabaseAccess } from '../database/setup/database-access.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { toError } from '../errors/app-error.js';

/** The longest time for which listeners are notified without a pause. */
const TURN_MS = 5;
/** Matches a URI (RFC 3986) that fits into a notification. */
const SENDABLE_URI = /^[\x21-\x7e]{1,4000}$/;

/** A change in an organization: the name of the changed thing, without its data. */
export type Change =
  /** A resource, such as `switchboard://runs/run_…`, was created, changed or deleted. */
  | { readonly kind: 'resource'; readonly uri: string }
  /** The list of tools of the organization changed. */
  | { readonly kind: 'tools' }
  /** The API key of the organization was created or revoked. */
  | { readonly kind: 'keys' }
  /** A session of a person in the organization was ended before it expired. */
  | { readonly kind: 'sessions' };

/** A change or a gap. A `gap` means that changes were lost, so everything may have changed. */
export type ChangeOrGap = Change | { readonly kind: 'gap' };

export type ChangeListener = (change: ChangeOrGap) => void;

export type ResourceFolder =
  | 'calls'
  | 'confirmations'
  | 'contacts'
  | 'messages'
  | 'runs'
  | 'segments'
  | 'snippets'
  | 'templates'
  | 'workflows';

export function resourceChange(folder: ResourceFolder, id: string): Change {
  return { kind: 'resource', uri: resourceUri(folder, id) };
}

export function resourceUri(folder: ResourceFolder, id: string): string {
  return `switchboard://${folder}/${id}`;
}

/**
 * Notifies every subscribed process of changes, through the database. Notifications may be lost: after a lost
 * connection, listeners receive a `gap`. When the publishing process crashes, they receive no `gap`.
 */
@Injectable()
export class ChangeFeed implements OnApplicationShutdown {
  private readonly logger = new Logger(ChangeFeed.name);
  private readonly listeners = new Map<string, Set<{ readonly receive: ChangeListener }>>();
  private channel?: ChannelListener;
  /** The notifications that listeners still have to get. The first one is being handled. */
  private readonly received: string[] = [];
  /** The notification channel of changes. The SQL function `notify_run_change` also sends on this channel. */
  private readonly channelName: string;

  constructor(
    private readonly sender: NotificationSender,
    private readonly tenants: TenantDatabase,
    private readonly access: DatabaseAccess,
  ) {
    this.channelName = channelName('switchboard_changes', access.contextKey);
  }

  /**
   * Sends the change after the commit of the current transaction, or immediately when there is no transaction. Does
   * nothing in a dry run. Never throws and never waits.
   */
  publish(organizationId: string, change: Change): void {
    const { kind, uri } = toSendable(change);
    const send = (): void =>
      this.sender.sendSoon(this.channelName, `${organizationId} ${kind}`, uri);
    if (this.tenants.inTransaction) this.tenants.afterCommit(send);
    else if (!this.tenants.inDryRun) send();
  }

  /**
   * Calls `receive` for every change of the organization that commits after the promise resolves. Resolves to the
   * function that ends the subscription. Throws `unavailable` while the database is down.
   */
  async subscribe(organizationId: string, receive: ChangeListener): Promise<() => void> {
    const listener = { receive };
    const ofOrganization = this.listeners.get(organizationId) ?? new Set();
    this.listeners.set(organizationId, ofOrganization.add(listener));
    // A process listens only while it has subscriptions, because each notification takes processor time in every
    // listening process.
    const channel = (this.channel ??= this.listen());
    const unsubscribe = (): void => {
      if (!ofOrganization.delete(listener)) return;
      if (ofOrganization.size === 0) this.listeners.delete(organizationId);
      if (this.listeners.size > 0 || this.channel !== channel) return;
      this.channel = undefined;
      void channel.stop();
    };
    try {
      await channel.listening;
    } catch (error) {
      unsubscribe();
      throw unavailable(error);
    }
    return unsubscribe;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.channel?.stop();
  }

  private listen(): ChannelListener {
    return new ChannelListener(this.access, this.channelName, {
      receive: (payload) => this.receive(payload),
      reconnected: () => this.receive(''),
    });
  }

  private receive(payload: string): void {
    this.received.push(payload);
    if (this.received.length === 1) void this.notifyAll();
  }

  /** Notifies the listeners in turns of a few milliseconds, because an import sends thousands of changes at once. */
  private async notifyAll(): Promise<void> {
    let began = performance.now();
    for (let payload = this.received[0]; payload !== undefined; payload = this.received[0]) {
      this.notifyOf(payload);
      this.received.shift();
      if (performance.now() - began < TURN_MS) continue;
      await nextTurn();
      began = performance.now();
    }
  }

  private notifyOf(payload: string): void {
    const [organizationId, kind, ...uris] = payload.split(' ');
    const sets = organizationId ? [this.listeners.get(organizationId)] : this.listeners.values();
    const listeners = [...sets].flatMap((set) => [...(set ?? [])]);
    for (const change of parseChanges(kind, uris)) {
      for (const listener of listeners) this.notify(listener, change);
    }
  }

  private notify(listener: { readonly receive: ChangeListener }, change: ChangeOrGap): void {
    try {
      listener.receive(change);
    } catch (error) {
      this.logger.error(toError(error).stack);
    }
  }
}

/** Replaces a resource by a gap when its URI does not fit into a notification. */
function toSendable(change: Change): { kind: string; uri?: string } {
  if (change.kind !== 'resource') return change;
  return SENDABLE_URI.test(change.uri) ? change : { kind: 'gap' };
}

function parseChanges(kind: string | undefined, uris: readonly string[]): ChangeOrGap[] {
  if (kind === 'resource' && uris.length > 0) return uris.map((uri) => ({ kind, uri }));
  if (kind === 'tools' || kind === 'keys' || kind === 'sessions') return [{ kind }];
  return [{ kind: 'gap' }];
}
