import { describe, expect, it } from 'vitest';
import { readEnvelope } from './read-envelope.js';

const MAILBOX = { name: 'Ada', address: 'ada@example.com' };
const ATTACHMENT = {
  fileId: `fil_${'a'.repeat(22)}`,
  name: 'invoice.pdf',
  contentType: 'application/pdf',
  size: 5,
  cid: 'logo.1',
};

describe(readEnvelope, () => {
  it('returns the known members and drops all other members', () => {
    const known = {
      from: MAILBOX,
      replyTo: { name: '', address: 'büro@bücher.example' },
      references: ['<msg_1@example.com>', '<a.b@localhost>'],
      attachments: [ATTACHMENT],
    };
    const stored = {
      ...known,
      id: '/../x',
      to: 'b@example.com',
      text: 'Other',
      inReplyTo: 'msg_1',
    };
    expect(readEnvelope(stored)).toEqual(known);
    const nested = { ...ATTACHMENT, path: '/etc/passwd', read: 'x' };
    expect(readEnvelope({ attachments: [nested] })).toEqual({ attachments: [ATTACHMENT] });
    const extended = { ...MAILBOX, group: [MAILBOX] };
    expect(readEnvelope({ from: extended })).toEqual({ from: MAILBOX });
  });

  it('accepts the largest number of attachments that a message can have', () => {
    const attachments = Array.from({ length: 20 }, () => ({ ...ATTACHMENT, size: 512 * 1024 }));
    expect(readEnvelope({ attachments })).toEqual({ attachments });
  });

  it('accepts the largest number of references that a message can have, and refuses one more', () => {
    const references = Array.from({ length: 20 }, (_, index) => `<${index}@example.com>`);
    expect(readEnvelope({ references })).toEqual({ references });
    expect(readEnvelope({ references: [...references, '<20@example.com>'] })).toBeUndefined();
  });

  it('returns null without an envelope', () => {
    expect([readEnvelope(null), readEnvelope(undefined)]).toEqual([null, null]);
  });

  it.each([
    'text',
    [MAILBOX],
    { from: 'ada@example.com' },
    { from: null },
    { from: [MAILBOX] },
    { from: { name: 'Ada', address: 'a@example.com, b@example.com' } },
    { replyTo: { name: 'Ada\r\nBcc: eve@example.com', address: 'ada@example.com' } },
    { replyTo: { address: 'ada@example.com' } },
    { references: '<a@example.com>' },
    { references: ['<a@example.com>\r\nBcc: eve@example.com'] },
    { attachments: { length: 1 } },
    { attachments: [{ ...ATTACHMENT, fileId: 'fil_1' }] },
    { attachments: [{ ...ATTACHMENT, name: 'a/b' }] },
    { attachments: [{ ...ATTACHMENT, contentType: 'message/rfc822' }] },
    { attachments: [{ ...ATTACHMENT, contentType: 'text/plain\r\nX: y' }] },
    { attachments: [{ ...ATTACHMENT, size: '5' }] },
    { attachments: [{ ...ATTACHMENT, size: -1 }] },
    { attachments: [{ ...ATTACHMENT, size: 10 * 1024 * 1024 + 1 }] },
    {
      attachments: [
        { ...ATTACHMENT, size: 5 * 1024 * 1024 },
        { ...ATTACHMENT, size: 5 * 1024 * 1024 + 1 },
      ],
    },
    {
      attachments: [
        { ...ATTACHMENT, size: 20 * 1024 * 1024 },
        { ...ATTACHMENT, size: -15 * 1024 * 1024 },
      ],
    },
    { attachments: Array.from({ length: 21 }, () => ({ ...ATTACHMENT, size: 0 })) },
    { attachments: [{ ...ATTACHMENT, cid: 'a>b' }] },
  ])('returns undefined for %j', (stored) => {
    expect(readEnvelope(stored)).toBeUndefined();
  });
});
