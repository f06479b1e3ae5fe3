import { createTransport } from 'nodemailer';
import { describe, expect, it } from 'vitest';
import { composeEmail } from './email-channel.js';

const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });

/** Returns the subject as a mail program shows it: unfolded and decoded (RFC 2047). */
async function shown(subject: string): Promise<string> {
  const email = { id: 'msg_1', to: 'ada@example.com', subject, text: 'Text', date: new Date() };
  const { message } = await transport.sendMail(composeEmail(email, 'from@example.com')!);
  const header = /^Subject:((?:.|\r\n[ \t])*)\r\n/m.exec((message as Buffer).toString())![1]!;
  return header
    .replace(/\r\n(?=[ \t])/g, '')
    .trimStart()
    .replace(/(\?=)[ \t]+(?==\?)/g, '$1')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_word, encoding: string, text: string) =>
      encoding.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString()
        : Buffer.from(
            text
              .replaceAll('_', ' ')
              .replace(/=([0-9A-F]{2})/gi, (_byte, hex: string) =>
                String.fromCharCode(parseInt(hex, 16)),
              ),
            'latin1',
          ).toString(),
    );
}

describe('the subject of an e-mail', () => {
  it.each([
    ['plain text', 'Hello Ada'],
    ['other letters', 'Grüße für Ada 🎉'],
    ['an encoded line break and header', 'Hi =?utf-8?q?=0D=0ABcc:_eve@example.com?= Ada'],
    ['an encoded word in base64', '=?UTF-8?B?SGVsbG8=?='],
    ['many encoded words', '🎉=?utf-8?q?=41?='.repeat(25)],
    ['the beginning of an encoded word', 'a =? b'],
  ])('is shown as it was written: %s', async (_case, subject) => {
    expect(await shown(subject)).toBe(subject);
  });
});
