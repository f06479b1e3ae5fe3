/** Holds one part of an e-mail. A part that contains other parts has no content. */
export interface MimePart {
  readonly headers: ReadonlyMap<string, string>;
  /** The media type without parameters, for example `text/html`. */
  readonly type: string;
  readonly content: Buffer;
  readonly parts: readonly MimePart[];
}

/** Parses an e-mail that nodemailer wrote, with its parts. It supports only the features that the tests need. */
export function parseMime(source: string): MimePart {
  const end = source.indexOf('\r\n\r\n');
  const headers = new Map<string, string>();
  const lines = source.slice(0, end).replace(/\r\n[ \t]+/g, ' ');
  for (const line of lines.split('\r\n')) {
    const colon = line.indexOf(':');
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const body = source.slice(end + 4);
  const contentType = headers.get('content-type') ?? 'text/plain';
  const boundary = /boundary="([^"]+)"/.exec(contentType)?.[1];
  const parts =
    boundary === undefined
      ? []
      : `\r\n${body}`
          .split(`\r\n--${boundary}`)
          .slice(1, -1)
          .map((part) => parseMime(part.slice(2)));
  const content = parts.length > 0 ? Buffer.alloc(0) : decode(body, headers);
  return { headers, type: contentType.split(';')[0]!, content, parts };
}

/** Returns all parts that contain no other parts, in the order of the message. */
export function leavesOf(part: MimePart): readonly MimePart[] {
  return part.parts.length > 0 ? part.parts.flatMap(leavesOf) : [part];
}

function decode(body: string, headers: ReadonlyMap<string, string>): Buffer {
  const encoding = headers.get('content-transfer-encoding');
  if (encoding === 'base64') return Buffer.from(body, 'base64');
  if (encoding !== 'quoted-printable') return Buffer.from(body);
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}
