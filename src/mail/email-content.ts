import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { pipeline, Readable } from 'node:stream';
import { pipeline as pipelineToEnd } from 'node:stream/promises';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { SendMailOptions } from 'nodemailer';
import MessageParser from 'nodemailer/lib/dkim/message-parser';
import RelaxedBody from 'nodemailer/lib/dkim/relaxed-body';
import signHeaders from 'nodemailer/lib/dkim/sign';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { Attachment } from 'nodemailer/lib/mailer';
import type MimeNode from 'nodemailer/lib/mime-node';
import type { DkimKey, Email, EmailAttachment } from './email-channel.js';
import { JoinedChunks } from './joined-chunks.js';
import { splitLargeTexts } from './text-pieces.js';

/**
 * The largest signed e-mail that is kept in memory, in bytes. A larger e-mail is composed a second time after its hash
 * is known.
 */
const MOST_KEPT_BYTES = 256 * 1024;
/**
 * The headers that the signature covers, if the e-mail has them. RFC 8058 requires both List-Unsubscribe and
 * List-Unsubscribe-Post. The default of nodemailer has only the first one.
 */
const SIGNED_HEADERS = [
  'From',
  'Reply-To',
  'Subject',
  'Date',
  'Message-ID',
  'To',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  'In-Reply-To',
  'References',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
].join(':');

/** An e-mail that is ready to be sent. */
export interface OpenableEmail {
  readonly from: string | false;
  readonly to: string[];
  /** Returns the content. Call this method only once. */
  readonly open: () => Readable;
}

/**
 * Composes an e-mail. With a key, the content is signed (DKIM), and must be composed once to compute its hash. A large
 * content is then composed a second time to send it. Rejects when the parts of the e-mail cannot be read.
 */
export async function prepareEmail(
  composed: SendMailOptions,
  { attachments = [], key }: Pick<Email, 'attachments' | 'key'>,
  signal: AbortSignal,
): Promise<OpenableEmail> {
  // Both passes must use the same boundaries between the parts. Otherwise the signature would not match.
  const baseBoundary = randomBytes(12).toString('hex');
  const compile = (): MimeNode => {
    const compiled = new MailComposer({
      ...composed,
      ...(attachments.length > 0 && { attachments: attachments.map((part) => toPart(part)) }),
      baseBoundary,
    }).compile();
    splitLargeTexts(compiled);
    return compiled;
  };
  const message = compile();
  const envelope = message.getEnvelope();
  const open = (content: Readable): Readable =>
    // When `content` fails, `pipeline` destroys the joined chunks with the same error, so the callback need not handle
    // it.
    pipeline(content, new JoinedChunks(), () => undefined);
  if (!key) return { ...envelope, open: () => open(message.createReadStream()) };
  const { signature, kept } = await sign(message.createReadStream(), key, signal);
  const parts = kept ? [signature, ...kept] : joined(signature, compile);
  return { ...envelope, open: () => open(Readable.from(parts)) };
}

function toPart({ name, contentType, cid, chunks }: EmailAttachment): Attachment {
  return {
    filename: name,
    contentType,
    content: Readable.from(inTurns(chunks)),
    contentTransferEncoding: 'base64',
    contentDisposition: cid === undefined ? 'attachment' : 'inline',
    ...(cid !== undefined && { cid }),
  };
}

/**
 * Yields the chunks, with turns of other work in between. Otherwise a large e-mail would be encoded and hashed without a
 * pause, because all its chunks are in memory.
 */
async function* inTurns(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) {
    yield chunk;
    await yieldToOthers();
  }
}

async function sign(
  content: Readable,
  { domain, selector, privateKey }: DkimKey,
  signal: AbortSignal,
): Promise<{ signature: Buffer; kept: Buffer[] | undefined }> {
  let kept: Buffer[] | undefined = [];
  let size = 0;
  const parser = new MessageParser();
  const body = new RelaxedBody({ hashAlgo: 'sha256' });
  const headers = once(parser, 'headers') as Promise<[MessageParser.Header[]]>;
  const hash = once(body, 'hash') as unknown as Promise<[string]>;
  const hashed = pipelineToEnd(
    content,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        size += chunk.length;
        if (size > MOST_KEPT_BYTES) kept = undefined;
        kept?.push(chunk);
        yield chunk;
      }
    },
    parser,
    body,
    async (chunks: AsyncIterable<Buffer>) => {
      for await (const _chunk of chunks);
    },
    { signal },
  );
  const [[lines], [digest]] = await Promise.all([headers, hash, hashed]);
  const line = signHeaders(lines, 'sha256', digest, {
    domainName: domain,
    keySelector: selector,
    privateKey,
    headerFieldNames: SIGNED_HEADERS,
  });
  // nodemailer returns false for a key that it cannot use, and would send the e-mail unsigned.
  if (line === false) throw new Error('The DKIM key cannot sign.');
  return { signature: Buffer.from(`${line}\r\n`), kept };
}

async function* joined(signature: Buffer, compile: () => MimeNode): AsyncGenerator<Buffer> {
  yield signature;
  yield* compile().createReadStream() as AsyncIterable<Buffer>;
}
