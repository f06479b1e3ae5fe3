import { DiscoveryService } from '@nestjs/core';

/** The treatment of a message whose outcome is unknown: another attempt, or a decision of a person. */
export const UNCERTAIN_POLICIES = ['resend', 'hold'] as const;
export type UncertainPolicy = (typeof UNCERTAIN_POLICIES)[number];

/** A setting of a provider. In contrast to the secret, people can read it later. */
export interface ProviderField {
  readonly title: string;
  readonly optional?: boolean;
  /** The default value. */
  readonly default?: string;
  /** The pattern that the whole value must match. */
  readonly pattern?: RegExp;
  /** The rule for the value, for example `must be an https URL`. */
  readonly rule?: string;
  /** True if the value decides who receives the secret. A change of the value then needs the secret again. */
  readonly decidesReceiver?: boolean;
}

/** The settings and the secret that an organization enters to use a provider. */
export interface ProviderKind {
  readonly title: string;
  readonly fields: Readonly<Record<string, ProviderField>>;
  /** The secret of a provider. Unlike the settings, it is never shown. */
  readonly secret: Pick<ProviderField, 'title' | 'pattern' | 'rule'>;
}

/** The parts that a message can have besides a subject and a body. */
export const CHANNEL_EXTRAS = ['from', 'html', 'reply_to', 'in_reply_to', 'attachments'] as const;
export type ChannelExtra = (typeof CHANNEL_EXTRAS)[number];

export interface ChannelOptions {
  /** The name, which has 1 to 64 characters of a-z, 0-9 and _ and is unique in the installation. */
  readonly name: string;
  /** The name of the channel for people, for example `SMS`. */
  readonly title: string;
  /** The kind of address that a contact needs, for example `phone number`. */
  readonly address: string;
  /** The rule for subjects: required or optional. Without this option, a subject is refused. */
  readonly subject?: 'required' | 'optional';
  /** The extra parts that messages may have. Other extra parts are refused. */
  readonly carries?: readonly ChannelExtra[];
  /**
   * The treatment of a message whose outcome is unknown. The default is `hold`, because a message that was sent twice
   * cannot be taken back.
   */
  readonly onUncertain?: UncertainPolicy;
  /** The kinds of providers by name. A channel with kinds needs a provider of the organization. */
  readonly providers?: Readonly<Record<string, ProviderKind>>;
}

/** Declares a provider class as a channel. The class has the methods of `DeliveryChannel`. */
export const Channel = DiscoveryService.createDecorator<ChannelOptions>();
