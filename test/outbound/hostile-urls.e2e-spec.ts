import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseOutboundAllow } from '../../src/config/outbound-allow.js';
import { AppError } from '../../src/errors/app-error.js';
import { HostResolver } from '../../src/outbound/host-resolver.js';
import { OutboundClient } from '../../src/outbound/outbound-client.js';
import { OutboundRules } from '../../src/outbound/outbound-rules.js';
import { sample } from '../support/thorough.js';
import { hostileUrls } from './support/hostile-urls.js';
import { type NameServer, startNameServer } from './support/name-server.js';
import { type Sink, startSink } from './support/sink.js';

const REDIRECTS = [301, 302, 303, 307, 308];

describe('hostile URLs', () => {
  let victim: Sink;
  let names: NameServer;
  let urls: string[];

  beforeAll(async () => {
    // Listens on every IPv4 and IPv6 address of this machine, so that it sees each request that is not blocked.
    victim = await startSink('::', (_request, response) => response.end('secret'));
    names = await startNameServer(() => []);
    urls = hostileUrls(victim.port);
  });
  afterAll(async () => {
    names.close();
    await victim.close();
  });

  const client = (allow: string): OutboundClient =>
    new OutboundClient(
      new OutboundRules(parseOutboundAllow(allow)!),
      new HostResolver([names.address]),
    );
  const get = (sender: OutboundClient, url: string) =>
    sender.send({ method: 'GET', url, headers: {}, signal: new AbortController().signal });

  it('number more than 400, and each reaches the local server when the address of this server is allowed', async () => {
    expect(urls.length).toBeGreaterThan(400);
    const { body } = await get(client(`127.0.0.1:${victim.port}`), urls[0]!);
    expect(body.toString()).toBe('secret');
    victim.connections = 0;
    victim.requests.length = 0;
  });

  it('reach no server at private addresses, although the port is allowed for public addresses', async () => {
    const sender = client(`*:${victim.port}`);
    for (const url of urls) {
      const error: unknown = await get(sender, url).catch((thrown: unknown) => thrown);
      expect(error, url).toBeInstanceOf(AppError);
      const { code, message } = error as AppError;
      // A host that DNS does not know is reported as unavailable.
      expect(['invalid_arguments', 'unavailable'], `${url}: ${message}`).toContain(code);
      if (code === 'unavailable')
        expect(message, url).toMatch(/^The host .* has no address in DNS\.$/);
    }
    expect(victim.connections).toBe(0);
  });

  it.each(REDIRECTS)('are not followed in a redirect with status %i', async (status) => {
    let next = '';
    const redirecting = await startSink('127.0.0.1', (_request, response) => {
      response.writeHead(status, { Location: encodeURI(next) }).end();
    });
    try {
      const sender = client(`127.0.0.1:${redirecting.port}`);
      const targets = sample(urls, 8);
      for (const url of targets) {
        next = url;
        const answer = await get(sender, `http://127.0.0.1:${redirecting.port}/`);
        expect(answer.status).toBe(status);
      }
      expect(redirecting.requests).toHaveLength(targets.length);
    } finally {
      await redirecting.close();
    }
    expect(victim.connections).toBe(0);
  });

  it('are not sent to a proxy that the environment names', async () => {
    const variables = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    for (const name of variables) process.env[name] = `http://127.0.0.1:${victim.port}`;
    const other = await startSink('127.0.0.1', (_request, response) => response.end('direct'));
    try {
      const { body } = await get(
        client(`127.0.0.1:${other.port}`),
        `http://127.0.0.1:${other.port}`,
      );
      expect(body.toString()).toBe('direct');
    } finally {
      for (const name of variables) delete process.env[name];
      await other.close();
    }
    expect(victim.connections).toBe(0);
  });
});
