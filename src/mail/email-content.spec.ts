import { generateKeyPairSync } from 'node:crypto';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import MailComposer from 'nodemailer/lib/mail-composer';
import { describe, expect, it } from 'vitest';
import { composeEmail, type Email } from './email-channel.js';
import { prepareEmail } from './email-content.js';
import { PIECE_LENGTH, piecesOf } from './text-pieces.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
const KEY = {
  domain: 'example.com',
  selector: 'test',
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};
const RECORD = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;

const LARGEST = {
  // The largest texts that send_message accepts.
  text: 'Grüße 🎉 an alle\r\n'.repeat(11_000).slice(0, 128 * 1024),
  html: '<p>Ä ö\t🎉 é  </p>\n'.repeat(22_000),
};

const emailWith = (texts: Pick<Email, 'text' | 'html'>): Email => {
  const date = new Date('2030-01-31T09:00:00Z');
  return { id: 'msg_1', to: 'ada@example.com', subject: 'Hello', date, ...texts };
};

async function rawOf(texts: Pick<Email, 'text' | 'html'>, options = {}): Promise<string> {
  const composed = composeEmail(emailWith(texts), 'from@example.com')!;
  const { signal } = new AbortController();
  const { open } = await prepareEmail({ ...composed, newline: 'windows' }, options, signal);
  return Buffer.concat(await open().toArray()).toString('latin1');
}

/** Returns the e-mail as nodemailer composes it from whole texts. */
async function wholeOf(texts: Pick<Email, 'text' | 'html'>): Promise<string> {
  const composed = composeEmail(emailWith(texts), 'from@example.com')!;
  const message = new MailComposer({ ...composed, newline: 'windows' }).compile();
  return (await message.build()).toString('latin1');
}

/**
 * Removes the parts of an e-mail that may differ although its content is the same: the random boundaries, the places of
 * soft line breaks, and whether a blank inside a line is encoded.
 */
const comparable = (raw: string): string =>
  raw
    .replace(/--_NmP-[0-9a-f]+-/g, '--_NmP-')
    .replaceAll('=\r\n', '')
    .replaceAll('=20', ' ');

/** Returns the number of turns of the event loop that the work took. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = (): void => {
    turns += 1;
    next = setImmediate(count);
  };
  count();
  await work();
  clearImmediate(next!);
  return turns;
}

describe('the content of a large e-mail', () => {
  it.each([
    ['letters outside ASCII', LARGEST],
    ['text alone', { text: LARGEST.text }],
    ['short lines of ASCII, which are not encoded', { text: 'Good morning, Ada.\n'.repeat(5000) }],
    ['long lines of ASCII', { text: 'a b '.repeat(10_000), html: `<p>${'x'.repeat(50_000)}</p>` }],
    ['text of the length at which nodemailer stops reading lines', { text: 'a\n'.repeat(65_537) }],
    ['blanks and carriage returns at the ends of pieces', { text: ' \r\n\t\r '.repeat(20_000) }],
    ['lines of blanks', { text: ' '.repeat(100_000) + 'ü' }],
    ['pairs and single halves of surrogates', { text: '\ud83d\ud83c\udf89\udf89'.repeat(10_000) }],
    ['dots and equals signs', { text: '.\n..=3D\r\n'.repeat(20_000) }],
  ])('is the same as when it is encoded in one piece: %s', async (_case, texts) => {
    const raw = await rawOf(texts);
    expect(comparable(raw) === comparable(await wholeOf(texts))).toBe(true);
    const [longest] = raw.split('\r\n').sort((a, b) => b.length - a.length);
    expect(longest!.length).toBeLessThanOrEqual(76);
  });

  it('has a valid signature when it is composed twice', async () => {
    const raw = await rawOf(LARGEST, { key: KEY });
    const { results } = (await dkimVerify(Buffer.from(raw, 'latin1'), {
      resolver: () => Promise.resolve([[RECORD]]),
    })) as { results: { status: { result: string } }[] };
    expect(results.map(({ status }) => status.result)).toEqual(['pass']);
    expect(comparable(raw.slice(raw.indexOf('From:')))).toBe(comparable(await wholeOf(LARGEST)));
  });

  it('is encoded in pieces, with a turn of the event loop for each piece, also when it is signed', async () => {
    const pieces = [...piecesOf(LARGEST.text), ...piecesOf(LARGEST.html)].length;
    expect(pieces).toBeGreaterThan(100);
    expect(await turnsOf(() => rawOf(LARGEST))).toBeGreaterThan(pieces);
    expect(await turnsOf(() => rawOf(LARGEST, { key: KEY }))).toBeGreaterThan(2 * pieces);
  });

  it('has a turn of the event loop for each part of an attachment, also when it is signed', async () => {
    const chunks = Array.from({ length: 200 }, () => Buffer.alloc(2048, 'x'));
    const attachments = [{ name: 'a.txt', contentType: 'text/plain', chunks }];
    const text = { text: 'Hello' };
    expect(await turnsOf(() => rawOf(text, { attachments }))).toBeGreaterThan(200);
    expect(await turnsOf(() => rawOf(text, { attachments, key: KEY }))).toBeGreaterThan(400);
  });
});

describe(piecesOf, () => {
  it.each([
    '',
    'a',
    'a'.repeat(PIECE_LENGTH),
    'a'.repeat(PIECE_LENGTH + 1),
    `a${'🎉'.repeat(PIECE_LENGTH)}`,
    '🎉'.repeat(PIECE_LENGTH),
    '\ud83d'.repeat(2 * PIECE_LENGTH),
  ])('returns all of the text in short pieces of whole characters', (text) => {
    const pieces = [...piecesOf(text)];
    expect(pieces.join('')).toBe(text);
    expect(pieces.filter(({ length }) => length === 0 || length > PIECE_LENGTH)).toEqual([]);
    const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
    expect(bytes.equals(Buffer.from(text))).toBe(true);
  });
});
