import { Injectable } from '@nestjs/common';
import { GateDatabase } from '../database/gate-database.js';
import { AppError, type Fault } from '../errors/app-error.js';
import type {
  ChannelContact,
  ChannelContent,
  Handover,
  OutgoingMessage,
  ProviderAccount,
} from './channel-contract.js';
import { Failpoints } from '../failpoints/failpoints.js';
import type { UncertainPolicy } from './channel.decorator.js';
import { cleanHandover } from './clean-handover.js';
import { ChannelProvidersService, type StoredProvider } from './channel-providers.service.js';
import { ChannelRegistry, type RegisteredChannel } from './channel-registry.js';
import { readEnvelope } from './read-envelope.js';

/** The result for an invalid envelope. Only SQL of a tool can store an invalid envelope. */
const INVALID_ENVELOPE: Handover = {
  outcome: 'refused',
  code: 'render_failed',
  reason: 'The stored headers or attachments of the message are invalid.',
};

/** The result of a handover, and the provider that gave this result, if the channel has providers. */
export interface HandedOver {
  readonly handover: Handover;
  readonly providerId: string | null;
}

/** Decides by which channel and provider a message is sent, and hands it over. */
@Injectable()
export class HandoversService {
  constructor(
    private readonly channels: ChannelRegistry,
    private readonly providers: ChannelProvidersService,
    private readonly gate: GateDatabase,
    private readonly failpoints: Failpoints,
  ) {}

  /** Returns the channel. Throws `invalid_arguments`, with the names that exist, when there is none. */
  channel(name: string): RegisteredChannel {
    return this.channels.get(name);
  }

  /** Throws `invalid_arguments`, with the names that exist, when a name is given and no channel has it. */
  assertChannel(name: string | undefined): void {
    if (name !== undefined) this.channels.get(name);
  }

  /** Returns the title of a channel, or its name when the installation no longer has it. */
  titleOf(name: string): string {
    return this.channels.find(name)?.options.title ?? name;
  }

  /**
   * Returns the treatment of a message whose outcome is unknown. Returns `hold` for a channel that the installation no
   * longer has.
   */
  policyOf(name: string, given: UncertainPolicy | null): UncertainPolicy {
    return given ?? this.channels.find(name)?.options.onUncertain ?? 'hold';
  }

  /**
   * Returns the address of the contact. Throws `invalid_arguments` when the address is missing or wrong, and
   * `conflict` when the channel needs a provider and the organization has none.
   */
  async addressOf(organizationId: string, name: string, contact: ChannelContact): Promise<string> {
    const { options, channel } = this.channels.get(name);
    const address = channel.addressOf(contact);
    if (address === null) {
      throw AppError.invalid(
        `This contact has no ${options.address}. Add one with update_contact.`,
        [{ path: 'channel', message: `is ${name}, and the contact has no ${options.address}` }],
      );
    }
    if (!channel.isAddress(address)) {
      throw AppError.invalidField(
        'channel',
        `is ${name}, and the contact has no valid ${options.address}`,
      );
    }
    if (options.providers && (await this.providers.list(organizationId, name)).length === 0) {
      throw new AppError(
        'conflict',
        `The organization has no provider for the channel ${name}. A person adds one in Settings, Channels.`,
      );
    }
    return address;
  }

  checkContent(name: string, content: ChannelContent): readonly Fault[] {
    return this.channels.get(name).channel.checkContent(content);
  }

  /** Returns the providers of a channel in the order in which they are tried. */
  async route(organizationId: string, name: string): Promise<StoredProvider[]> {
    const options = this.channels.find(name)?.options;
    return options?.providers ? await this.providers.list(organizationId, name) : [];
  }

  /**
   * Reserves a place for one message in the limit of a provider. Returns the seconds until the message may be sent, and
   * 0 when it may be sent now.
   */
  async reserve(organizationId: string, provider: StoredProvider | undefined): Promise<number> {
    if (!provider?.perSecond) return 0;
    const values = bucketOf(organizationId, provider, provider.perSecond);
    const [row] = await this.gate.call<{ reserve_token: number }>('reserve_token', values);
    return row!.reserve_token;
  }

  /**
   * Hands the message to the first provider. After a temporary failure, hands it to the next provider, unless the
   * earlier provider may have accepted it. Never throws.
   */
  async handOver(
    organizationId: string,
    name: string,
    message: OutgoingMessage,
    route: readonly StoredProvider[],
    signal: AbortSignal,
  ): Promise<HandedOver> {
    const result = await this.handToFirst(organizationId, name, message, route, signal);
    await this.failpoints.reach('after outside call, before journal', message.id);
    return result;
  }

  private async handToFirst(
    organizationId: string,
    name: string,
    given: OutgoingMessage,
    route: readonly StoredProvider[],
    signal: AbortSignal,
  ): Promise<HandedOver> {
    const found = this.channels.find(name);
    if (!found) return without(`The installation has no channel ${name}.`);
    const envelope = readEnvelope(given.envelope);
    if (envelope === undefined) return { handover: INVALID_ENVELOPE, providerId: null };
    const message = { ...given, envelope };
    if (!found.options.providers) {
      return { handover: await safely(found, message, undefined, signal), providerId: null };
    }
    let last = without(`The organization has no provider for the channel ${name}.`);
    for (const [index, provider] of route.entries()) {
      // The limit of the first provider was checked before the attempt began.
      if (index > 0 && !(await this.hasToken(organizationId, provider))) continue;
      const handover = await safely(found, message, accountOf(provider), signal);
      last = { handover, providerId: provider.id };
      if (handover.outcome !== 'failed' || signal.aborted) return last;
    }
    return last;
  }

  private async hasToken(organizationId: string, provider: StoredProvider): Promise<boolean> {
    if (!provider.perSecond) return true;
    const values = bucketOf(organizationId, provider, provider.perSecond);
    const [row] = await this.gate.call<{ take_token: number }>('take_token', values);
    return row!.take_token === 0;
  }
}

/**
 * Hands the message to the channel. A channel of a module may throw in spite of its contract. Then the outcome is
 * `unknown`.
 */
async function safely(
  { channel }: RegisteredChannel,
  message: OutgoingMessage,
  account: ProviderAccount | undefined,
  signal: AbortSignal,
): Promise<Handover> {
  try {
    return cleanHandover(await channel.handOver(message, account, signal), account);
  } catch {
    const reason = 'The channel failed with an unexpected error.';
    return { outcome: 'unknown', code: 'no_outcome', reason };
  }
}

function accountOf({ id, kind, settings, secret }: StoredProvider): ProviderAccount {
  return { id, kind, settings, secret };
}

function without(reason: string): HandedOver {
  return { handover: { outcome: 'failed', code: 'no_provider', reason }, providerId: null };
}

function bucketOf(
  organizationId: string,
  { id }: StoredProvider,
  perSecond: number,
): [string, number, number] {
  // A bucket of one token spreads the messages evenly over each second.
  return [`messages of ${organizationId} over ${id}`, 1, 1 / perSecond];
}
