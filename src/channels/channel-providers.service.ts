import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { SecretBox } from '../database/secret-box.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError, assertFound } from '../errors/app-error.js';
import { newId } from '../text/ids.js';
import type { ProviderAccount } from './channel-contract.js';
import type { ChannelProvider } from './channel-provider.entity.js';
import { ChannelProvidersRepository } from './channel-providers.repository.js';
import { ChannelRegistry } from './channel-registry.js';
import {
  changesReceiver,
  kindOf,
  parseSecret,
  parseSettings,
  type ProviderContent,
} from './parse-provider.js';

const MOST_PROVIDERS = 20;
const MOST_PRIORITY = 1000;

/** The account of an organization at a provider, with its decrypted secret. */
export interface StoredProvider extends ProviderAccount {
  readonly channel: string;
  readonly name: string;
  readonly priority: number;
  readonly perSecond: number | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly updatedBy: string | null;
}

/** The values that a caller entered. A change keeps the value of each absent member. */
export interface ProviderFields {
  readonly name?: string;
  readonly settings?: object;
  readonly secret?: string;
  readonly priority?: number;
  readonly perSecond?: number | null;
}

/** Stores the providers of organizations, with their secrets encrypted. */
@Injectable()
export class ChannelProvidersService {
  constructor(
    private readonly providers: ChannelProvidersRepository,
    private readonly channels: ChannelRegistry,
    private readonly tenants: TenantDatabase,
    private readonly box: SecretBox,
  ) {}

  /** Returns the providers, sorted by channel and then by priority. */
  async list(organizationId: string, channel?: string): Promise<StoredProvider[]> {
    const rows = await this.tenants.transaction(
      organizationId,
      () => this.providers.list(organizationId, channel),
      { readOnly: true },
    );
    return rows.map((row) => this.opened(row));
  }

  /** Returns a provider. Throws `not_found`. */
  async get(organizationId: string, id: string): Promise<StoredProvider> {
    const row = await this.tenants.transaction(
      organizationId,
      () => this.providers.find(organizationId, id),
      { readOnly: true },
    );
    return this.opened(assertFound(row, 'channel provider'));
  }

  /** Creates a provider. Without a priority, it is tried after the other providers of its channel. */
  async create(
    organizationId: string,
    { channel, kind, ...given }: ProviderFields & { channel: string; kind: string },
    updatedBy: string | null,
  ): Promise<StoredProvider> {
    const { options } = this.channels.get(channel);
    const declared = kindOf(options, kind);
    const settings = parseSettings(declared, given.settings ?? {});
    if (given.secret === undefined) throw AppError.invalidField('secret', 'is required');
    const content = { kind, settings, secret: parseSecret(declared, given.secret) };
    return await this.tenants.transaction(organizationId, async () => {
      await this.tenants.lockOrganization(organizationId);
      const rows = await this.providers.list(organizationId);
      if (rows.length >= MOST_PROVIDERS) {
        throw new AppError(
          'conflict',
          `An organization has at most ${MOST_PROVIDERS} channel providers. Delete one first.`,
        );
      }
      const last = rows.findLast((row) => row.channel === channel)?.priority ?? 0;
      const id = newId('chp');
      await this.providers.insert(organizationId, {
        id,
        channel,
        name: given.name ?? declared.title,
        priority: given.priority ?? Math.min(last + 1, MOST_PRIORITY),
        perSecond: given.perSecond ?? null,
        sealed: this.sealed(organizationId, id, content),
        updatedBy,
      });
      return await this.get(organizationId, id);
    });
  }

  /**
   * Changes a provider. The settings are replaced as a whole. Messages use the new settings from their next attempt on.
   */
  async update(
    organizationId: string,
    id: string,
    given: ProviderFields,
    updatedBy: string | null,
  ): Promise<StoredProvider> {
    return await this.tenants.transaction(organizationId, async () => {
      await this.tenants.lockOrganization(organizationId);
      const before = await this.get(organizationId, id);
      const content = this.changed(before, given);
      await this.providers.update(organizationId, id, {
        name: given.name ?? before.name,
        priority: given.priority ?? before.priority,
        perSecond: given.perSecond === undefined ? before.perSecond : given.perSecond,
        // Two encryptions of the same text give different bytes. Without this condition, a repeated call would change
        // the row again.
        ...(content !== before && { sealed: this.sealed(organizationId, id, content) }),
        updatedBy,
      });
      return await this.get(organizationId, id);
    });
  }

  /** Deletes a provider. Throws `not_found`. */
  async delete(organizationId: string, id: string): Promise<void> {
    const isDeleted = await this.tenants.transaction(organizationId, () =>
      this.providers.delete(organizationId, id),
    );
    if (!isDeleted) throw AppError.notFound('channel provider');
  }

  /** Returns the content after the change, or `before` when the change sets nothing new. */
  private changed(before: StoredProvider, given: ProviderFields): ProviderContent {
    const { kind } = before;
    const declared = kindOf(this.channels.get(before.channel).options, kind);
    const settings = given.settings ? parseSettings(declared, given.settings) : before.settings;
    if (given.secret === undefined && changesReceiver(declared, before, settings)) {
      throw AppError.invalidField('secret', 'is required to change who receives it');
    }
    const secret = given.secret === undefined ? before.secret : parseSecret(declared, given.secret);
    const isSame = secret === before.secret && isDeepStrictEqual(settings, before.settings);
    return isSame ? before : { kind, settings, secret };
  }

  private sealed(organizationId: string, id: string, content: ProviderContent): Buffer {
    return this.box.seal(JSON.stringify(content), sealContext(organizationId, id));
  }

  private opened({ organizationId, sealed, ...rest }: ChannelProvider): StoredProvider {
    const context = sealContext(organizationId, rest.id);
    return { ...rest, ...(JSON.parse(this.box.open(sealed, context)) as ProviderContent) };
  }
}

function sealContext(organizationId: string, id: string): string {
  return `channel provider ${organizationId} ${id}`;
}
