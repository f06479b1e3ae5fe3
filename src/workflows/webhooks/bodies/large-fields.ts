import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { AppError } from '../../../errors/app-error.js';
import type { Job } from '../../../turns/processor-turns.js';
import { type Field, MAX_FIELDS, notUtf8, tooManyFields } from './fields.js';
import { JsonTextWriter, type WrittenText } from './json-text-writer.js';

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PIECE_BYTES = 64 * 1024;

export interface LargeWork {
  readonly maxBytes: number;
  /** Runs work in turns, between which other requests are served. */
  readonly run: (job: Job) => Promise<void>;
}

interface EncodedField {
  readonly name: Buffer;
  readonly value: Buffer;
}

/**
 * Returns the JSON of the fields of a large form, as {@link parseForm} reads a small one. With `unwrapsPayload`,
 * returns the text of the field `payload` if the form has no other field.
 */
export async function formJson(
  body: Buffer,
  work: LargeWork,
  unwrapsPayload: boolean,
): Promise<Buffer> {
  const fields = splitForm(body);
  const [only] = fields;
  if (unwrapsPayload && fields.length === 1 && only!.name.toString() === 'payload') {
    return assertText(await write(only!.value, { encoding: 'form', as: 'plain' }, work));
  }
  const members: JsonMember[] = [];
  for (const { name, value } of fields) {
    const text = { encoding: 'form', as: 'json' } as const;
    members.push([(await write(name, text, work)).toString(), await write(value, text, work)]);
  }
  return assertText(joinMembers(members));
}

/** Returns the JSON of the fields of a large multipart body. */
export async function fieldsJson(fields: readonly Field[], work: LargeWork): Promise<Buffer> {
  const members: JsonMember[] = [];
  for (const [name, value] of fields) {
    const json =
      typeof value === 'string'
        ? await write(Buffer.from(value), { encoding: 'none', as: 'json' }, work)
        : Buffer.from(JSON.stringify(value));
    members.push([JSON.stringify(name), json]);
  }
  return joinMembers(members);
}

/** Returns the JSON of a payload whose member `body` is a large text. */
export async function textJson(body: Buffer, charset: string, work: LargeWork): Promise<Buffer> {
  const isUtf = charset === 'utf-8' || charset === 'utf8';
  const decoding = new Decoding(body, charset);
  if (!isUtf) await work.run(decoding);
  const hasMark = body.toString('latin1', 0, 3) === '\u00ef\u00bb\u00bf';
  const text = isUtf ? assertText(hasMark ? body.subarray(3) : body) : decoding.result;
  const json = await write(text, { encoding: 'none', as: 'json' }, work);
  return joinMembers([['"body"', json]]);
}

type JsonMember = readonly [name: string, value: Buffer];

async function write(
  bytes: Buffer,
  text: Omit<WrittenText, 'maxBytes'>,
  { maxBytes, run }: LargeWork,
): Promise<Buffer> {
  const writer = new JsonTextWriter(bytes, { ...text, maxBytes });
  await run(writer);
  return writer.result;
}

/** Returns an object with the members. A name that occurs several times gets the list of its values. */
function joinMembers(members: readonly JsonMember[]): Buffer {
  const values = new Map<string, Buffer[]>();
  for (const [name, value] of members) {
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  const parts = [...values].flatMap(([name, list], index) => {
    const begin = Buffer.from(`${index === 0 ? '' : ','}${name}:${list.length > 1 ? '[' : ''}`);
    const items = list.flatMap((item, at) => (at === 0 ? [item] : [Buffer.from(','), item]));
    return [begin, ...items, Buffer.from(list.length > 1 ? ']' : '')];
  });
  return Buffer.concat([Buffer.from('{'), ...parts, Buffer.from('}')]);
}

function splitForm(body: Buffer): EncodedField[] {
  const fields: EncodedField[] = [];
  for (let start = 0; start <= body.length;) {
    const found = body.indexOf(AMPERSAND, start);
    const end = found < 0 ? body.length : found;
    if (end > start) fields.push(splitField(body.subarray(start, end)));
    if (fields.length > MAX_FIELDS) throw tooManyFields();
    start = end + 1;
  }
  return fields;
}

function splitField(field: Buffer): EncodedField {
  const end = field.indexOf(EQUALS);
  if (end < 0) return { name: field, value: Buffer.alloc(0) };
  return { name: field.subarray(0, end), value: field.subarray(end + 1) };
}

function assertText(bytes: Buffer): Buffer {
  if (!isUtf8(bytes)) throw notUtf8();
  return bytes;
}

/** Decodes a text into UTF-8, in parts between which other requests are served. */
class Decoding implements Job {
  private readonly parts: Buffer[] = [];
  private at = 0;
  private readonly decoder: TextDecoder;

  constructor(
    private readonly body: Buffer,
    private readonly charset: string,
  ) {
    this.decoder = new TextDecoder(charset, { fatal: true });
  }

  run(endsAt: number): boolean {
    while (this.at < this.body.length) {
      this.decode(this.body.subarray(this.at, this.at + PIECE_BYTES), true);
      this.at += PIECE_BYTES;
      if (performance.now() >= endsAt) return false;
    }
    this.decode(Buffer.alloc(0), false);
    return true;
  }

  get result(): Buffer {
    return Buffer.concat(this.parts);
  }

  private decode(bytes: Buffer, stream: boolean): void {
    try {
      this.parts.push(Buffer.from(this.decoder.decode(bytes, { stream })));
    } catch (error) {
      throw new AppError('invalid_body', `The body is not ${this.charset}.`, { cause: error });
    }
  }
}
