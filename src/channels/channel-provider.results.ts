import {
  Choice,
  Flag,
  Integer,
  JsonObject,
  ListOf,
  Nested,
  Text,
  Timestamp,
} from '../tools/schema/fields.js';
import type { Handover } from './channel-contract.js';
import {
  type ProviderField,
  type ProviderKind,
  UNCERTAIN_POLICIES,
  type UncertainPolicy,
} from './channel.decorator.js';
import type { StoredProvider } from './channel-providers.service.js';
import type { RegisteredChannel } from './channel-registry.js';
import { REASON_CODES, type ReasonCode } from './reason-code.js';

/** A provider without its secret. */
export class ChannelProviderView {
  @Text()
  id: string;

  @Text()
  channel: string;

  @Text()
  kind: string;

  @Text()
  name: string;

  @JsonObject('Settings by name, as texts.')
  settings: object;

  @Integer('The provider with the lowest number is tried first.')
  priority: number;

  @Integer('Most messages a second; 0 means no limit.')
  per_second: number;

  @Timestamp()
  created_at: string;

  @Timestamp()
  updated_at: string;

  @Text('Id of whoever made the last change.', { nullable: true })
  updated_by: string | null;

  static of(provider: StoredProvider): ChannelProviderView {
    return {
      id: provider.id,
      channel: provider.channel,
      kind: provider.kind,
      name: provider.name,
      settings: provider.settings,
      priority: provider.priority,
      per_second: provider.perSecond ?? 0,
      created_at: provider.createdAt.toISOString(),
      updated_at: provider.updatedAt.toISOString(),
      updated_by: provider.updatedBy,
    };
  }
}

export class ChannelProviderResult {
  @Nested(() => ChannelProviderView)
  provider: ChannelProviderView;
}

export class ChannelProviderList {
  @ListOf(() => ChannelProviderView, 'Sorted by channel, then by priority.')
  providers: ChannelProviderView[];
}

export class DeletedChannelProvider {
  @Text('Id of the provider.')
  deleted: string;
}

const OUTCOMES = ['sent', 'refused', 'failed', 'unknown'] as const;

export class TestedChannelProvider {
  @Choice(OUTCOMES, 'unknown: the provider may have accepted the message.')
  outcome: (typeof OUTCOMES)[number];

  @Text({ nullable: true })
  reason: string | null;

  @Choice(REASON_CODES, { nullable: true })
  reason_code: ReasonCode | null;

  @Text("The provider's id of the message.", { nullable: true })
  provider_message_id: string | null;

  static of(handover: Handover): TestedChannelProvider {
    return {
      outcome: handover.outcome,
      reason: handover.outcome === 'sent' ? null : handover.reason,
      reason_code: handover.outcome === 'sent' ? null : handover.code,
      provider_message_id:
        handover.outcome === 'sent' ? (handover.providerMessageId ?? null) : null,
    };
  }
}

class ProviderFieldView {
  @Text()
  name: string;

  @Text()
  title: string;

  @Flag()
  is_required: boolean;

  @Text({ nullable: true })
  default: string | null;

  static of(name: string, { title, optional, default: value }: ProviderField): ProviderFieldView {
    const isRequired = !optional && value === undefined;
    return { name, title, is_required: isRequired, default: value ?? null };
  }
}

class ProviderKindView {
  @Text()
  kind: string;

  @Text()
  title: string;

  @ListOf(() => ProviderFieldView)
  settings: ProviderFieldView[];

  @Text('What the secret is.')
  secret_title: string;

  static of(kind: string, { title, fields, secret }: ProviderKind): ProviderKindView {
    const settings = Object.entries(fields).map(([name, field]) =>
      ProviderFieldView.of(name, field),
    );
    return { kind, title, settings, secret_title: secret.title };
  }
}

class ChannelView {
  @Text()
  name: string;

  @Text()
  title: string;

  @Text('The address that a contact needs.')
  address: string;

  @Flag('True if messages have a subject.')
  has_subject: boolean;

  @Flag('False if a provider is needed and missing.')
  is_ready: boolean;

  @Flag('True if messages are only written to files.')
  writes_files: boolean;

  @Choice(UNCERTAIN_POLICIES, 'What happens to a message whose outcome is unknown.')
  on_uncertain: UncertainPolicy;

  @ListOf(() => ProviderKindView, 'Kinds of providers. Empty if the channel needs none.')
  kinds: ProviderKindView[];

  static of({ options, channel }: RegisteredChannel, isReady: boolean): ChannelView {
    return {
      name: options.name,
      title: options.title,
      address: options.address,
      has_subject: options.subject !== undefined,
      is_ready: isReady,
      writes_files: channel.writesFiles ?? false,
      on_uncertain: options.onUncertain ?? 'hold',
      kinds: Object.entries(options.providers ?? {}).map(([kind, declared]) =>
        ProviderKindView.of(kind, declared),
      ),
    };
  }
}

export class ChannelList {
  @ListOf(() => ChannelView)
  channels: ChannelView[];

  static of(
    channels: readonly RegisteredChannel[],
    providers: readonly StoredProvider[],
  ): ChannelList {
    return {
      channels: channels.map((channel) => {
        const { name, providers: kinds } = channel.options;
        return ChannelView.of(channel, !kinds || providers.some((one) => one.channel === name));
      }),
    };
  }
}
