import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { createContact } from './support.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});

const stored = async (table: string): Promise<number> => {
  const rows = await switchboard.ownerQuery(`select id from ${table} where organization_id = $1`, [
    acme.id,
  ]);
  return rows.length;
};
const post = (tool: string, body: string | Uint8Array): Promise<Response> =>
  acme.fetch(`/api/tools/${tool}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  });

describe('a body of a call', () => {
  it.each<[string, string, string | Uint8Array, number, string]>([
    [
      'a message of 10 MB',
      'send_message',
      JSON.stringify({ email: 'a@example.com', body: 'x'.repeat(10_000_000) }),
      413,
      'payload_too_large',
    ],
    [
      'a name of 10 MB',
      'create_contact',
      JSON.stringify({ external_id: 'a', first_name: 'x'.repeat(10_000_000) }),
      413,
      'payload_too_large',
    ],
    [
      'bytes that are not UTF-8 in a name',
      'create_contact',
      Buffer.from('{"external_id":"a","first_name":"Zo\xeb"}', 'latin1'),
      400,
      'invalid_json',
    ],
    [
      'a half of a surrogate pair in UTF-8',
      'create_contact',
      Buffer.concat([
        Buffer.from('{"external_id":"a","first_name":"'),
        Buffer.from([0xed, 0xa0, 0x80]),
        Buffer.from('"}'),
      ]),
      400,
      'invalid_json',
    ],
  ])('with %s is refused, and nothing is stored', async (_what, tool, body, status, code) => {
    const response = await post(tool, body);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
      status,
      code,
    ]);
    expect(await stored('contacts')).toBe(0);
    expect(await stored('messages')).toBe(0);
  });
});

describe('the name of a contact', () => {
  it.each([
    ['a header', 'Ada\r\nBcc: eve@evil.example'],
    ['a line separator', 'Ada\u2028Bcc'],
    ['a bidi control', 'Ada\u202egnp.exe'],
  ])('cannot add %s to the subject of a message', async (_what, first_name) => {
    const created = await acme.call('create_contact', { email: 'ada@example.com', first_name });
    if (created.error) {
      expect(created.error.code).toBe('invalid_arguments');
      return;
    }
    const { error } = await acme.call('send_message', {
      email: 'ada@example.com',
      subject: 'Hello {{ contact.first_name }}',
      body: 'Hello',
      variables: {},
    });
    expect(error?.code).toBe('invalid_arguments');
    expect(await stored('messages')).toBe(0);
  });
});

describe('an address of a suppression', () => {
  it.each([
    ['two addresses', 'a@example.com, b@example.com'],
    ['a quoted part', '"a b"@example.com'],
    ['a line break', 'a@example.com\r\nBcc: b@example.com'],
    ['NUL', 'a@exam\0ple.com'],
    ['a bidi control', '\u202ea@example.com'],
  ])('is refused with %s', async (_what, address) => {
    const { id } = await createContact(acme);
    const calls: [string, object][] = [
      ['suppress_address', { address }],
      ['add_contact_alias', { contact_id: id, email: address }],
    ];
    for (const [tool, given] of calls) {
      expect((await acme.call(tool, given)).error?.code, tool).toBe('invalid_arguments');
    }
    expect(await stored('suppressed_addresses')).toBe(0);
  });
});
