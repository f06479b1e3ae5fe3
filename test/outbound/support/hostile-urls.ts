/** Lists the forbidden IPv4 addresses by the reason why an attacker wants to reach them. */
const TARGETS = {
  loopback: '127.0.0.1',
  'loopback elsewhere': '127.8.9.10',
  'this machine': '0.0.0.0',
  'private 10': '10.0.0.1',
  'private 172': '172.16.5.4',
  'private 192': '192.168.1.1',
  'carrier NAT': '100.64.0.1',
  'cloud metadata': '169.254.169.254',
  'Azure wire server': '168.63.129.16',
  'Oracle metadata': '192.0.0.192',
  broadcast: '255.255.255.255',
  multicast: '224.0.0.1',
};

type Encode = (octets: readonly number[]) => string;

const hex = (value: number): string => value.toString(16);
const pad = (value: number): string => hex(value).padStart(2, '0');
const word = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]): number =>
  a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
const groups = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]): string =>
  `${hex(a * 256 + b)}:${hex(c * 256 + d)}`;
const dotted: Encode = (octets) => octets.join('.');
const mapDigits = (text: string, zero: number): string =>
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
const CIRCLED = '⓪①②③④⑤⑥⑦⑧⑨';

/** Lists notations of an IPv4 address that some URL parser, resolver or kernel understands. */
const ENCODINGS: Record<string, Encode> = {
  dotted,
  'dotted, with one more dot at the end': (octets) => `${dotted(octets)}.`,
  decimal: (octets) => String(word(octets)),
  hexadecimal: (octets) => `0x${hex(word(octets))}`,
  'hexadecimal in capitals': (octets) => `0X${hex(word(octets)).toUpperCase()}`,
  'hexadecimal with zeros': (octets) => `0x00000000${hex(word(octets)).padStart(8, '0')}`,
  octal: (octets) => `0${word(octets).toString(8)}`,
  'octal with zeros': (octets) => `000000${word(octets).toString(8)}`,
  'dotted hexadecimal': (octets) => octets.map((octet) => `0x${hex(octet)}`).join('.'),
  'dotted octal': (octets) => octets.map((octet) => `0${octet.toString(8)}`).join('.'),
  'dotted octal with zeros': (octets) =>
    octets.map((octet) => `0000${octet.toString(8)}`).join('.'),
  'mixed bases': ([a, b, c, d]) => `0x${hex(a!)}.0${b!.toString(8)}.${c}.0x${hex(d!)}`,
  'two parts': ([a, ...rest]) => `${a}.${word([0, ...rest])}`,
  'three parts': ([a, b, c, d]) => `${a}.${b}.${c! * 256 + d!}`,
  'two parts in hexadecimal': ([a, ...rest]) => `0x${hex(a!)}.0x${hex(word([0, ...rest]))}`,
  'full-width digits': (octets) => mapDigits(dotted(octets), 0xff10),
  'full-width dots': (octets) => octets.join('．'),
  'ideographic dots': (octets) => octets.join('。'),
  'half-width dots': (octets) => octets.join('｡'),
  'circled digits': (octets) =>
    dotted(octets).replaceAll(/\d/g, (digit) => CIRCLED[Number(digit)]!),
  'mathematical digits': (octets) => mapDigits(dotted(octets), 0x1d7ce),
  'percent-encoded digits': (octets) => dotted(octets).replaceAll(/\d/g, (digit) => `%3${digit}`),
  'percent-encoded dots': (octets) => octets.join('%2e'),
  'with a soft hyphen': (octets) => dotted(octets).replace('.', '\u00ad.'),
  'with a zero-width space': (octets) => dotted(octets).replace('.', '\u200b.'),
  'with a tab inside': (octets) => dotted(octets).replace('.', '\t.'),
  'IPv4-mapped': (octets) => `[::ffff:${groups(octets)}]`,
  'IPv4-mapped, dotted': (octets) => `[::ffff:${dotted(octets)}]`,
  'IPv4-mapped, in full': (octets) =>
    `[0:0:0:0:0:ffff:${octets
      .map(pad)
      .join('')
      .replace(/(.{4})/, '$1:')}]`,
  'IPv4-compatible': (octets) => `[::${groups(octets)}]`,
  'IPv4-translated': (octets) => `[::ffff:0:${groups(octets)}]`,
  NAT64: (octets) => `[64:ff9b::${groups(octets)}]`,
  'local NAT64': (octets) => `[64:ff9b:1::${groups(octets)}]`,
  '6to4': (octets) => `[2002:${groups(octets)}::1]`,
  Teredo: (octets) => `[2001:0:4136:e378:8000:63bf:${groups(octets.map((octet) => octet ^ 0xff))}]`,
  ISATAP: (octets) => `[fe80::5efe:${groups(octets)}]`,
};

const IPV6 = [
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[100::1]',
  '[5f00::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[::ffff:0:127.0.0.1]',
];

const schemes = ['file', 'ftp', 'gopher', 'dict', 'ldap', 'ws', 'jar', 'data', 'blob', 'unix'];

/** Lists URLs whose host differs between URL parsers. */
const DISGUISES = (port: number): string[] => [
  `http://example.com@127.0.0.1:${port}/`,
  `http://example.com:80@127.0.0.1:${port}/`,
  `http://127.0.0.1:${port}@127.0.0.1:${port}/`,
  `http://user:password@127.0.0.1:${port}/`,
  `http://example.com%40127.0.0.1:${port}/`,
  `http://127.0.0.1:${port}#@example.com/`,
  `http://127.0.0.1:${port}\\@example.com/`,
  `http://127.0.0.1:${port}?@example.com/`,
  `http:\\\\127.0.0.1:${port}\\`,
  `http:127.0.0.1:${port}/`,
  `http:/127.0.0.1:${port}/`,
  `http:///127.0.0.1:${port}/`,
  `HTTP://127.0.0.1:${port}/`,
  `\u0000http://127.0.0.1:${port}/`,
  ` http://127.0.0.1:${port}/ `,
  `ht\ntp://127.0.0.1:${port}/`,
  `http://127.0.0.1:0${port}/`,
  `//127.0.0.1:${port}/`,
  `http://[::ffff:127.0.0.1%25lo]:${port}/`,
  `http://[::1%25lo]:${port}/`,
  `http://127.0.0.1:${port}:80/`,
  `http://1.1.1.1 &@127.0.0.1:${port}# @8.8.8.8/`,
  `http://127.1.1.1:80\\@127.2.2.2:${port}/`,
  `http://127.0.0.1:${port}\r\nHost: example.com/`,
  ...schemes.map((scheme) => `${scheme}://127.0.0.1:${port}/`),
];

/** Returns URLs with the port `port` that at least one parser resolves to a forbidden address. */
export function hostileUrls(port: number): string[] {
  const encoded = Object.values(TARGETS).flatMap((target) =>
    Object.values(ENCODINGS).map(
      (encode) => `http://${encode(target.split('.').map(Number))}:${port}/`,
    ),
  );
  const v6 = IPV6.map((host) => `http://${host}:${port}/`);
  return [...new Set([...encoded, ...v6, ...DISGUISES(port)])];
}
