import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { unavailable } from '../database/database-error.js';
import { ChannelListener } from '../database/notifications/channel-listener.js';
import type { NotificationSender } from '../database/notifications/notification-sender.js';
import type { DatabaseAccess } from '../database/setup/database-access.js';
import type { TenantDatabase } from '../database/transactions/tenant-database.js';
import { toError } from '../errors/app-error.js';

/** The migration `ParkedRunChanges` sends on it as well: organization, kind and, for resources, their URIs. */
const CHANNEL = 'switchboard_changes';
/** What RFC 3986 allows and a notification has room for. */
const SENDABLE_URI = /^[\x21-\x7e]{1,4000}$/;

export type ChangeListener = (notice: ChangeNotice) => void;

/**
 * Tells every process that is interested what changed, this one too, through the database. Only ever hints: one that
 * is lost with the connection is made up for by a `gap`, one that is lost with a process that dies is not.
 */
export class ChangeFeed implements OnApplicationShutdown {
  private readonly logger = new Logger(ChangeFeed.name);
  private readonly listeners = new Map<string, Set<{ readonly tell: ChangeListener }>>();
  private channel?: ChannelListener;

  constructor(
    private readonly sender: NotificationSender,
    private readonly tenants: TenantDatabase,
    private readonly access: DatabaseAccess,
  ) {}

  /**
   * Sends the change once the running transaction is committed, at once outside of one, never in a dry run. Does not
   * throw and does not wait.
   */
  publish(organizationId: string, change: Change): void {
    const { kind, uri } = sendable(change);
    const send = (): void => this.sender.sendSoon(CHANNEL, `${organizationId} ${kind}`, uri);
    if (this.tenants.inTransaction) this.tenants.afterCommit(send);
    else if (!this.tenants.inDryRun) send();
  }

  /**
   * Tells `tell` of every change of the organization that is committed from when this resolves, until the function it
   * resolves to is called. Throws `unavailable` while the database is away.
   */
  async subscribe(organizationId: string, tell: ChangeListener): Promise<() => void> {
    const listener = { tell };
    const ofOrganization = this.listeners.get(organizationId) ?? new Set();
    this.listeners.set(organizationId, ofOrganization.add(listener));
    // Only while somebody here is interested: everybody else pays nothing for the feed.
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
    return new ChannelListener(this.access, CHANNEL, {
      receive: (payload) => this.receive(payload),
      reconnected: () => this.receive(''),
    });
  }

  private receive(payload: string): void {
    const [organizationId, kind, ...uris] = payload.split(' ');
    const told = organizationId ? [this.listeners.get(organizationId)] : this.listeners.values();
    const listeners = [...told].flatMap((some) => [...(some ?? [])]);
    for (const notice of noticesOf(kind, uris)) {
      for (const listener of listeners) this.tell(listener, notice);
    }
  }

  private tell(listener: { readonly tell: ChangeListener }, notice: ChangeNotice): void {
    try {
      listener.tell(notice);
    } catch (error) {
      this.logger.error(toError(error).stack);
    }
  }
}

function sendable(change: Change): { kind: string; uri?: string } {
  if (change.kind !== 'resource') return change;
  return SENDABLE_URI.test(change.uri) ? change : { kind: 'gap' };
}

function noticesOf(kind: string | undefined, uris: readonly string[]): ChangeNotice[] {
  if (kind === 'resource' && uris.length > 0) return uris.map((uri) => ({ kind, uri }));
  if (kind === 'tools' || kind === 'keys') return [{ kind }];
  return [{ kind: 'gap' }];
}

/** What changed in an organization; only ever names, never the data itself. */
export type Change =
  /** A resource, such as `switchboard://runs/run_…`, is new, was changed or is gone. */
  | { readonly kind: 'resource'; readonly uri: string }
  /** The organization's list of tools. */
  | { readonly kind: 'tools' }
  /** Its API key: a new one was made, or the old one was revoked. */
  | { readonly kind: 'keys' };

/** What listeners are told. After a `gap` changes are missing, so anything may have changed. */
export type ChangeNotice = Change | { readonly kind: 'gap' };

/** The change of a contact, a message or a run, under the name that it has as a resource. */
export function resourceChange(folder: ResourceFolder, id: string): Change {
  return { kind: 'resource', uri: resourceUri(folder, id) };
}

export type ResourceFolder = 'contacts' | 'messages' | 'runs';

export function resourceUri(folder: ResourceFolder, id: string): string {
  return `switchboard://${folder}/${id}`;
}
