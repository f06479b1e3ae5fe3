import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseOutboundAllow } from '../../src/config/outbound-allow.js';
import { parseOutboundProxy } from '../../src/config/outbound-proxy.js';
import { HostResolver } from '../../src/outbound/host-resolver.js';
import { OutboundClient } from '../../src/outbound/outbound-client.js';
import { OutboundRules } from '../../src/outbound/outbound-rules.js';
import { createOrganization } from '../support/organization.js';
import { startSwitchboard } from '../support/switchboard.js';
import { createWorkflow, runToEnd } from '../workflows/support/workflow-client.js';
import { type ConnectProxy, startConnectProxy } from './support/connect-proxy.js';
import { type NameServer, startNameServer } from './support/name-server.js';
import { type Sink, startSink } from './support/sink.js';

/** An allowed address on this machine. Attackers want to reach FORBIDDEN. */
const ALLOWED = '127.0.0.2';
const FORBIDDEN = '127.0.0.1';
const PASSWORD = 'canary-password-of-the-proxy';
const BASIC = `Basic ${Buffer.from(`ada:${PASSWORD}`).toString('base64')}`;

describe('the outbound proxy', () => {
  let sink: Sink;
  let names: NameServer;
  let proxy: ConnectProxy;
  let client: OutboundClient;

  beforeAll(async () => {
    sink = await startSink('::', (_request, response) => response.end('ok'));
    names = await startNameServer((name, earlier) => {
      if (name === 'rebinding.test') return [earlier === 0 ? ALLOWED : FORBIDDEN];
      if (name === 'mixed.test') return [ALLOWED, FORBIDDEN];
      if (name === 'several.test') return ['127.0.0.3', ALLOWED];
      if (name === 'refused.test') return ['127.0.0.4'];
      if (name === 'limited.test') return ['127.0.0.5'];
      return [ALLOWED];
    });
    proxy = await startConnectProxy((target, authorization) => {
      if (authorization !== BASIC) return 407;
      if (target.startsWith('127.0.0.3')) return 502;
      return target.startsWith('127.0.0.4') ? 403 : target.startsWith('127.0.0.5') ? 429 : 200;
    });
    client = clientOf(`http://ada:${PASSWORD}@127.0.0.1:${proxy.port}`);
  });
  afterAll(async () => {
    names.close();
    await proxy.close();
    await sink.close();
  });

  const clientOf = (url: string, port = sink.port) =>
    new OutboundClient(
      new OutboundRules(
        parseOutboundAllow([2, 3, 4, 5].map((last) => `127.0.0.${last}:${port}`).join(','))!,
      ),
      new HostResolver([names.address]),
      parseOutboundProxy(url),
    );
  const get = (name: string, sender = client, port = sink.port, scheme = 'http') =>
    sender.send({
      method: 'GET',
      url: `${scheme}://${name}:${port}/path`,
      headers: { accept: '*/*' },
      signal: new AbortController().signal,
    });

  it('is asked for the checked address, so that it resolves no name', async () => {
    proxy.asked.length = 0;
    sink.requests.length = 0;
    for (let round = 0; round < 3; round += 1) {
      expect((await get(round === 0 ? 'rebinding.test' : 'steady.test')).body.toString()).toBe(
        'ok',
      );
    }
    expect(proxy.asked.map(({ target }) => target)).toEqual(
      Array.from({ length: 3 }, () => `${ALLOWED}:${sink.port}`),
    );
    expect(sink.requests[0]).toMatchObject({ path: '/path', at: `::ffff:${ALLOWED}` });
    expect(sink.requests[0]!.headers.host).toBe(`rebinding.test:${sink.port}`);
    expect(sink.requests[0]!.headers).not.toHaveProperty('proxy-authorization');
  });

  it.each(['mixed.test', FORBIDDEN])(
    'is not asked for a target that is not allowed: %s',
    async (host) => {
      proxy.asked.length = 0;
      await expect(get(host)).rejects.toThrow();
      expect(proxy.asked).toEqual([]);
    },
  );

  it('is asked for the next address when it did not reach the first address', async () => {
    proxy.asked.length = 0;
    expect((await get('several.test')).status).toBe(200);
    expect(proxy.asked).toHaveLength(2);
  });

  it.each([
    ['refused.test', 'rejected', 403],
    ['limited.test', 'unavailable', 429],
  ])('makes %s fail with an explanation when the proxy refuses', async (host, code, status) => {
    await expect(get(host)).rejects.toMatchObject({
      code,
      message: `The outbound proxy of this installation answered ${status} and made no connection.`,
    });
  });

  it('gets its password only from the operator', async () => {
    const sender = clientOf(`http://127.0.0.1:${proxy.port}`);
    await expect(get('steady.test', sender)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The outbound proxy of this installation answered 407 and made no connection.',
    });
  });

  it('is never bypassed: requests fail when the proxy does not exist', async () => {
    const gone = await startConnectProxy();
    await gone.close();
    sink.connections = 0;
    const sender = clientOf(`http://ada:${PASSWORD}@127.0.0.1:${gone.port}`);
    const failure = await get('steady.test', sender).catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ code: 'unavailable' });
    expect((failure as Error).message).not.toContain(PASSWORD);
    expect(sink.connections).toBe(0);
  });

  it('carries TLS, with the host of the URL as the server name', async () => {
    const served: string[] = [];
    const server = createTlsServer({
      SNICallback: (name, done) => {
        served.push(name);
        done(new Error('No certificate.'));
      },
    });
    server.on('tlsClientError', () => undefined);
    server.listen(0, ALLOWED);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const sender = clientOf(`http://ada:${PASSWORD}@127.0.0.1:${proxy.port}`, port);
    await expect(get('steady.tls.test', sender, port, 'https')).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(served).toEqual(['steady.tls.test']);
    server.close();
  });

  it('carries the requests of steps', async () => {
    const switchboard = await startSwitchboard({
      env: {
        OUTBOUND_ALLOW: `${ALLOWED}:${sink.port}`,
        OUTBOUND_PROXY: `http://ada:${PASSWORD}@127.0.0.1:${proxy.port}`,
      },
    });
    try {
      proxy.asked.length = 0;
      const acme = await createOrganization(switchboard);
      const { id } = await createWorkflow(acme, [
        {
          id: 'call',
          tool: 'http_request',
          arguments: { url: `http://${ALLOWED}:${sink.port}/step` },
        },
      ]);
      expect(await runToEnd(acme, id, {})).toMatchObject({ status: 'succeeded' });
      expect(proxy.asked).toEqual([{ target: `${ALLOWED}:${sink.port}`, authorization: BASIC }]);
    } finally {
      await switchboard.close();
    }
  });
});
