import { Injectable, UseGuards } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { newId } from '../text/ids.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { Tool } from '../tools/contract/tool.decorator.js';
import { OwnerGuard } from '../tools/policies/owner.guard.js';
import {
  ChannelProviderIdInput,
  CreateChannelProviderInput,
  ListChannelProvidersInput,
  ListChannelsInput,
  TestChannelProviderInput,
  UpdateChannelProviderInput,
} from './channel-provider.inputs.js';
import {
  ChannelList,
  ChannelProviderList,
  ChannelProviderResult,
  ChannelProviderView,
  DeletedChannelProvider,
  TestedChannelProvider,
} from './channel-provider.results.js';
import { ChannelProvidersService } from './channel-providers.service.js';
import { ChannelRegistry } from './channel-registry.js';
import { HandoversService } from './handovers.service.js';

const TEST_SUBJECT = 'Test message';
const TEST_BODY = 'This is a test message of Switchboard.';

/** Provides the tools by which owners set up the providers of channels. No tool returns a secret. */
@Injectable()
export class ChannelProviderTools {
  constructor(
    private readonly channels: ChannelRegistry,
    private readonly providers: ChannelProvidersService,
    private readonly handovers: HandoversService,
  ) {}

  @Tool({
    name: 'list_channels',
    title: 'List channels',
    description:
      'Returns the channels by which messages can be sent, with the kinds of providers that each can use.',
    output: ChannelList,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async listChannels(_input: ListChannelsInput, call: ToolCall): Promise<ChannelList> {
    return ChannelList.of(this.channels.all(), await this.providers.list(call.organizationId));
  }

  @Tool({
    name: 'list_channel_providers',
    title: 'List channel providers',
    description: 'Returns the providers of the organization, without their secrets.',
    output: ChannelProviderList,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async list(_input: ListChannelProvidersInput, call: ToolCall): Promise<ChannelProviderList> {
    const providers = await this.providers.list(call.organizationId);
    return { providers: providers.map((provider) => ChannelProviderView.of(provider)) };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'create_channel_provider',
    title: 'Create a channel provider',
    description:
      'Adds an account at a provider, such as Twilio, through which messages of a channel are sent. After a temporary ' +
      'failure the next provider of the channel is tried.',
    output: ChannelProviderResult,
    secrets: ['secret'],
    surfaces: ['dashboard'],
  })
  async create(input: CreateChannelProviderInput, call: ToolCall): Promise<ChannelProviderResult> {
    const { channel, kind, per_second: perSecond, ...fields } = input;
    const given = { ...fields, channel, kind, perSecond: limitOf(perSecond) };
    const provider = await this.providers.create(call.organizationId, given, call.actor.id);
    return { provider: ChannelProviderView.of(provider) };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'update_channel_provider',
    title: 'Update a channel provider',
    description: 'Changes a provider. Messages use the changes from their next attempt on.',
    output: ChannelProviderResult,
    destructive: true,
    idempotent: true,
    secrets: ['secret'],
    surfaces: ['dashboard'],
  })
  async update(input: UpdateChannelProviderInput, call: ToolCall): Promise<ChannelProviderResult> {
    const { provider_id: id, per_second: perSecond, ...fields } = input;
    const given = { ...fields, perSecond: limitOf(perSecond) };
    const provider = await this.providers.update(call.organizationId, id, given, call.actor.id);
    return { provider: ChannelProviderView.of(provider) };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'delete_channel_provider',
    title: 'Delete a channel provider',
    description:
      'Deletes a provider. Waiting messages use the next provider of the channel. If the channel has no other provider, ' +
      'their attempts fail.',
    output: DeletedChannelProvider,
    destructive: true,
    surfaces: ['dashboard'],
  })
  async delete(
    { provider_id: id }: ChannelProviderIdInput,
    { organizationId }: ToolCall,
  ): Promise<DeletedChannelProvider> {
    await this.providers.delete(organizationId, id);
    return { deleted: id };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: 'test_channel_provider',
    title: 'Test a channel provider',
    description: 'Sends a short test message to an address through this provider and no other.',
    output: TestedChannelProvider,
    external: true,
    surfaces: ['dashboard'],
  })
  async test(input: TestChannelProviderInput, call: ToolCall): Promise<TestedChannelProvider> {
    const { organizationId, signal } = call;
    const provider = await this.providers.get(organizationId, input.provider_id);
    const { options, channel } = this.channels.get(provider.channel);
    if (!channel.isAddress(input.to)) {
      throw AppError.invalidField('to', `must be an address of the channel ${options.name}`);
    }
    const message = {
      id: newId('msg'),
      organizationId,
      contactId: null,
      to: input.to,
      subject: options.subject ? TEST_SUBJECT : null,
      body: TEST_BODY,
      createdAt: new Date(),
    };
    const { handover } = await this.handovers.handOver(
      organizationId,
      provider.channel,
      message,
      [provider],
      signal,
    );
    return TestedChannelProvider.of(handover);
  }
}

/**
 * Returns null for 0, because forms and models send 0 for no limit. A null in the arguments means that the argument is
 * absent.
 */
function limitOf(perSecond: number | undefined): number | null | undefined {
  return perSecond === 0 ? null : perSecond;
}
