import assert from 'node:assert/strict';
import type {
  ChannelContact,
  ChannelContent,
  DeliveryChannel,
  Handover,
  ProviderAccount,
} from './channel-contract.js';
import { Channel, type ChannelOptions } from './channel.decorator.js';
import { REASON_CODES } from './reason-code.js';

const LONG_TEXT = '𝕊'.repeat(200_000);
const HOSTILE_TEXTS = ['', '\0', '\r\nBcc: x@example.com', '\u202e', '\ud800', LONG_TEXT];
const NOBODY: ChannelContact = { email: null, phone: null, properties: {} };

/**
 * Prepares the provider for the next handover. This function may return the address to which the next handover must go.
 */
export type Scenario = () => void | { to: string } | Promise<void | { to: string }>;

/** A channel under test, with functions that prepare the answers of its provider. */
export interface ChannelContractCase {
  readonly channel: DeliveryChannel;
  /** The account at the provider. Undefined only for a channel without provider kinds. */
  readonly account?: ProviderAccount;
  /** A contact with an address for the channel. */
  readonly contact: ChannelContact;
  /** The content of a message that the channel accepts. */
  readonly content: ChannelContent;
  /**
   * For each outcome, a message that the provider answers with this outcome. `unknown` can be absent only for a channel
   * whose `onUncertain` is `resend`.
   */
  readonly scenarios: Readonly<Record<Exclude<Handover['outcome'], 'unknown'>, Scenario>> & {
    readonly unknown?: Scenario;
  };
}

/**
 * One check for any test runner: call `run` in a test named `name`. `run` rejects when the channel breaks the
 * contract.
 */
export interface ContractCheck {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/**
 * Returns the checks that every channel must pass. They hand messages to the provider of the case, which should be a
 * local server.
 */
export function channelContract(given: ChannelContractCase): ContractCheck[] {
  const { channel, contact, content, scenarios } = given;
  const addressOf = (): string => channel.addressOf(contact)!;
  const handOver = (to: string, signal: AbortSignal, body = content.body): Promise<Handover> =>
    channel.handOver(
      {
        ...content,
        id: 'msg_contract',
        organizationId: 'org_contract',
        contactId: null,
        to,
        body,
        createdAt: new Date(),
      },
      given.account,
      signal,
    );
  const outcomes = Object.entries(scenarios) as [Handover['outcome'], Scenario][];
  return [
    {
      name: 'has @Channel, and distinguishes an unknown outcome from a failure',
      run: async () => {
        const options = optionsOf(channel);
        assert.ok(options, 'The class must have @Channel.');
        assert.ok(
          scenarios.unknown || options.onUncertain === 'resend',
          'A channel that holds uncertain messages needs a scenario for the outcome `unknown`.',
        );
      },
    },
    {
      name: 'finds the address of a contact, or null when the contact has none',
      run: async () => {
        assert.equal(typeof channel.addressOf(contact), 'string');
        assert.equal(channel.isAddress(addressOf()), true);
        assert.equal(channel.addressOf(NOBODY), null);
        for (const text of HOSTILE_TEXTS) assert.equal(channel.isAddress(text), false);
      },
    },
    {
      name: 'accepts valid content, and checks any text without throwing',
      run: async () => {
        assert.deepEqual(channel.checkContent(content), []);
        for (const text of HOSTILE_TEXTS) {
          for (const { path, message } of channel.checkContent({ subject: text, body: text })) {
            assert.ok(path !== '' && message !== '', 'A fault has a path and a message.');
          }
        }
      },
    },
    ...outcomes.map(([outcome, prepare]) => ({
      name: `answers ${outcome}`,
      run: async () => {
        const { to = addressOf() } = (await prepare()) ?? {};
        const handover = await handOver(to, new AbortController().signal);
        assert.equal(handover.outcome, outcome, JSON.stringify(handover));
        assertComplete(handover);
      },
    })),
    {
      name: 'answers without throwing when the worker stops',
      run: async () => {
        await scenarios.sent();
        const handover = await handOver(addressOf(), AbortSignal.abort(new Error('Stopped.')));
        assertComplete(handover);
        assert.notEqual(handover.outcome, 'refused');
      },
    },
  ];
}

function optionsOf(channel: DeliveryChannel): ChannelOptions | undefined {
  return Reflect.getMetadata(Channel.KEY, channel.constructor) as ChannelOptions | undefined;
}

function assertComplete(handover: Handover): void {
  if (handover.outcome === 'sent') return;
  assert.ok(REASON_CODES.includes(handover.code), `${handover.code} is not a reason code.`);
  assert.ok(handover.reason !== '', 'An outcome other than sent needs a reason for people.');
}
