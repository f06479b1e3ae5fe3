/** Parses an e-mail that nodemailer wrote. It supports only the part of RFC 5322 that the tests need. */
export function parseEml(source: string): { headers: Map<string, string>; text: string } {
  const end = source.indexOf('\r\n\r\n');
  const headers = new Map<string, string>();
  for (const line of source
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const colon = line.indexOf(':');
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const body = source.slice(end + 4);
  const isQuoted = headers.get('content-transfer-encoding') === 'quoted-printable';
  return { headers, text: isQuoted ? unquote(body) : body };
}

function unquote(body: string): string {
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
