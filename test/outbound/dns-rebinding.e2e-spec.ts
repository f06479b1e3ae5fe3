import { createServer as createTlsServer } from 'node:tls';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseOutboundAllow } from '../../src/config/outbound-allow.js';
import { HostResolver } from '../../src/outbound/host-resolver.js';
import { OutboundClient } from '../../src/outbound/outbound-client.js';
import { OutboundRules } from '../../src/outbound/outbound-rules.js';
import { type NameServer, startNameServer } from './support/name-server.js';
import { type Sink, startSink } from './support/sink.js';

const ROUNDS = 100;
/** An allowed address on this machine. It stands for a public address; attackers want to reach FORBIDDEN. */
const ALLOWED = '127.0.0.2';
const FORBIDDEN = '127.0.0.1';

describe('OutboundClient with a hostile name server', () => {
  let sink: Sink;
  let names: NameServer;
  let client: OutboundClient;

  beforeAll(async () => {
    sink = await startSink('::', (_request, response) => response.end('ok'));
    names = await startNameServer((name, earlier) => {
      const [kind] = name.split('.');
      if (kind === 'rebinding') return [earlier === 0 ? ALLOWED : FORBIDDEN];
      if (kind === 'late') return [earlier === 0 ? FORBIDDEN : ALLOWED];
      if (kind === 'mixed') return [ALLOWED, FORBIDDEN];
      if (kind === 'turned') return [FORBIDDEN, ALLOWED];
      if (kind === 'families') return [ALLOWED, '::1'];
      if (kind === 'mapped') return [ALLOWED, '::ffff:7f00:1'];
      if (kind === 'public') return ['8.8.8.8', '2606:4700::1111', FORBIDDEN];
      return kind === 'steady' ? [ALLOWED] : [];
    });
    client = new OutboundClient(
      new OutboundRules(parseOutboundAllow(`${ALLOWED}:${sink.port}`)!),
      new HostResolver([names.address]),
    );
  });
  afterAll(async () => {
    names.close();
    await sink.close();
  });

  const get = (name: string, port = sink.port, scheme = 'http') =>
    client.send({
      method: 'GET',
      url: `${scheme}://${name}:${port}/`,
      headers: {},
      signal: new AbortController().signal,
    });

  it(`looks up each name once and connects to the first answer, in ${ROUNDS} rounds`, async () => {
    sink.requests.length = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = `rebinding.${round}.test`;
      expect((await get(name)).status).toBe(200);
      expect(names.asked.filter((question) => question.name === name)).toHaveLength(2);
    }
    expect(sink.requests.map(({ at }) => at)).toEqual(
      Array.from({ length: ROUNDS }, () => `::ffff:${ALLOWED}`),
    );
    expect(sink.requests[0]!.headers.host).toBe(`rebinding.0.test:${sink.port}`);
  });

  it.each(['late', 'mixed', 'turned', 'families', 'mapped', 'public'])(
    `connects to no address when one of several is forbidden: %s, ${ROUNDS} rounds`,
    async (kind) => {
      sink.connections = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        await expect(get(`${kind}.${round}.test`)).rejects.toMatchObject({
          code: 'invalid_arguments',
        });
      }
      expect(sink.connections).toBe(0);
    },
  );

  it('sends no DNS query for a port that is never allowed', async () => {
    await expect(get('steady.port.test', 22)).rejects.toMatchObject({
      message: 'url must use port 80 or 443, or one that OUTBOUND_ALLOW names, not 22.',
    });
    expect(names.asked.map(({ name }) => name)).not.toContain('steady.port.test');
  });

  it('reports an unknown name as unavailable, so that the step is retried', async () => {
    await expect(get('unknown.test')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The host unknown.test has no address in DNS.',
    });
  });

  it('does not resolve names of this machine, such as localhost', async () => {
    for (const name of ['localhost', 'localhost.', 'x.localhost', 'ip6-localhost']) {
      await expect(get(name)).rejects.toThrow();
    }
    expect(sink.requests.filter(({ at }) => at === `::ffff:${FORBIDDEN}` || at === '::1')).toEqual(
      [],
    );
  });

  it('sends the host of the URL as the server name of TLS', async () => {
    const served: string[] = [];
    const server = createTlsServer({
      SNICallback: (name, done) => {
        served.push(name);
        done(new Error('No certificate.'));
      },
    });
    server.on('tlsClientError', () => undefined);
    server.listen(0, '127.0.0.2');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const tls = new OutboundClient(
      new OutboundRules(parseOutboundAllow(`${ALLOWED}:${port}`)!),
      new HostResolver([names.address]),
    );
    const request = { method: 'GET', headers: {}, signal: new AbortController().signal };
    await expect(
      tls.send({ ...request, url: `https://steady.tls.test:${port}/` }),
    ).rejects.toMatchObject({ code: 'unavailable' });
    expect(served).toEqual(['steady.tls.test']);
    server.close();
  });
});
