import { describe, expect, it } from 'vitest';
import type { Channel } from './channel.readers.ts';
import { draftOf, kindChoices, toArguments } from './provider-draft.ts';

const kind = {
  kind: 'twilio',
  title: 'Twilio',
  secret_title: 'Auth token',
  settings: [
    { name: 'account_sid', title: 'Account SID', is_required: true, default: null },
    { name: 'from', title: 'Sender', is_required: false, default: null },
  ],
};
const channels: Channel[] = [
  { name: 'email', title: 'E-mail', is_ready: true, writes_files: false, kinds: [] },
  { name: 'sms', title: 'SMS', is_ready: false, writes_files: false, kinds: [kind] },
];
const choices = kindChoices(channels);

describe('toArguments', () => {
  it('leaves out empty fields and settings of other kinds', () => {
    const draft = {
      ...draftOf(undefined, choices),
      secret: ' x ',
      settings: { account_sid: ' AC1 ', from: ' ', other: 'y' },
    };
    expect(toArguments(draft, choices, undefined)).toEqual({
      channel: 'sms',
      kind: 'twilio',
      settings: { account_sid: 'AC1' },
      secret: ' x ',
      per_second: 0,
    });
  });

  it('names a stored provider by its id, and keeps its secret', () => {
    const provider = {
      id: 'chp_1',
      channel: 'sms',
      kind: 'twilio',
      name: 'Main',
      settings: { account_sid: 'AC1' },
      priority: 2,
      per_second: 10,
    };
    expect(toArguments(draftOf(provider, choices), choices, 'chp_1')).toEqual({
      provider_id: 'chp_1',
      name: 'Main',
      settings: { account_sid: 'AC1' },
      priority: 2,
      per_second: 10,
    });
  });
});
