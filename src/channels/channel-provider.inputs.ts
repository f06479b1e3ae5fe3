import { Doc } from '../tools/schema/doc.decorator.js';
import { Integer, JsonObject, Text } from '../tools/schema/fields.js';

export class ListChannelsInput {}

export class ListChannelProvidersInput {}

export class CreateChannelProviderInput {
  @Doc('Name of the channel, from list_channels.', { examples: ['sms'] })
  @Text({ min: 1, max: 64 })
  channel: string;

  @Doc('Kind of the provider, from list_channels.', { examples: ['twilio'] })
  @Text({ min: 1, max: 64 })
  kind: string;

  @Text('Name for people. The default is the title of the kind.', {
    optional: true,
    min: 1,
    max: 100,
  })
  name?: string;

  @Doc('Settings of the kind, from list_channels, as texts.', {
    examples: [{ account_sid: 'AC5f2c1b', from: '+4930123456' }],
  })
  @JsonObject({ optional: true })
  settings?: object;

  @Text('The secret of the kind, such as an auth token. Nobody can read it again.', {
    min: 1,
    max: 8192,
  })
  secret: string;

  @Integer(
    'The provider with the lowest number is tried first, the next one after a temporary failure. The default is the last place.',
    { optional: true, min: 1, max: 1000 },
  )
  priority?: number;

  @Integer('Most messages a second; more are delayed. 0 means no limit.', {
    optional: true,
    min: 0,
    max: 10_000,
  })
  per_second?: number;
}

export class ChannelProviderIdInput {
  @Text({ min: 1, max: 64 })
  provider_id: string;
}

export class UpdateChannelProviderInput extends ChannelProviderIdInput {
  @Text({ optional: true, min: 1, max: 100 })
  name?: string;

  @JsonObject('Replaces all settings.', { optional: true })
  settings?: object;

  @Text('The new secret. Required to change who receives the secret.', {
    optional: true,
    min: 1,
    max: 8192,
  })
  secret?: string;

  @Integer('As in create_channel_provider.', { optional: true, min: 1, max: 1000 })
  priority?: number;

  @Integer('As in create_channel_provider.', { optional: true, min: 0, max: 10_000 })
  per_second?: number;
}

export class TestChannelProviderInput extends ChannelProviderIdInput {
  @Doc('Address that gets the test message.', { examples: ['+4930123456'] })
  @Text({ min: 1, max: 1024 })
  to: string;
}
