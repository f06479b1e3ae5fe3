import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

const TXT = 16;
const AAAA = 28;
const SERVFAIL = 2;

/** Runs a DNS server whose answers the test chooses. It records every query. */
export interface NameServer {
  /** `ADDRESS:PORT` */
  readonly address: string;
  readonly asked: { name: string; type: 'A' | 'AAAA' | 'TXT' }[];
  close(): void;
}

/**
 * Starts a name server. `answer` returns addresses of both families. Only addresses of the requested family are sent.
 * `texts` returns TXT records, or undefined for a failure of the server. The function `texts` may delay its answer.
 */
export async function startNameServer(
  answer: (name: string, earlier: number) => readonly string[],
  texts: (
    name: string,
  ) => readonly string[] | undefined | Promise<readonly string[] | undefined> = () => [],
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: NameServer['asked'] = [];
  const respond = async (query: Buffer, { port, address }: RemoteInfo): Promise<void> => {
    const { name, type, end } = readQuestion(query);
    const family = type === TXT ? 'TXT' : type === AAAA ? 'AAAA' : 'A';
    const earlier = asked.filter((one) => one.name === name && one.type === family).length;
    asked.push({ name, type: family });
    const found = family === 'TXT' ? await texts(name) : [];
    const records =
      family === 'TXT'
        ? (found ?? []).map((text) => record(TXT, bytesOfText(text)))
        : answer(name, earlier)
            .filter((address) => isIPv6(address) === (type === AAAA))
            .map((address) => record(type, bytesOf(address)));
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (found ? 0 : SERVFAIL), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...records]), port, address);
  };
  socket.on('message', (query, peer) => void respond(query, peer));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => socket.close(),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  while (query[at] !== 0) {
    const length = query[at]!;
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  // Resolvers randomize the case of names to make forged answers harder.
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Encodes a record with a TTL of 0 for the name in the question. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(0, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

/** Encodes the text of a TXT record, which has parts of at most 255 bytes. */
function bytesOfText(text: string): Buffer {
  const parts = text.match(/[^]{1,255}/g) ?? [''];
  return Buffer.concat(parts.map((part) => Buffer.from([part.length, ...Buffer.from(part)])));
}

function bytesOf(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  const [left = '', right = ''] = address.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(left), groups(right)];
  const all = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
