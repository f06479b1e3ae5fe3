import { describe, expect, it } from 'vitest';
import { parseOutboundAllow } from '../config/outbound-allow.js';
import { HostResolver } from './host-resolver.js';
import { OutboundClient } from './outbound-client.js';
import { OutboundRules } from './outbound-rules.js';

class OneAddress extends HostResolver {
  constructor(private readonly address: string) {
    super();
  }

  override resolve(): Promise<string[]> {
    return Promise.resolve([this.address]);
  }
}

const clientFor = (address: string, allow: string): OutboundClient =>
  new OutboundClient(new OutboundRules(parseOutboundAllow(allow)!), new OneAddress(address));
const request = (url: string) => ({
  method: 'POST',
  url,
  headers: {},
  signal: new AbortController().signal,
  hasSecrets: true,
});

describe(OutboundClient, () => {
  it.each([
    ['a public address', '1.1.1.1', ''],
    ['a port that is allowed for every public address', '1.1.1.1', '*:8080'],
    ['an address beside an allowed one', '1.1.1.1', '1.1.1.2'],
  ])('sends no secret without TLS to %s', async (_case, address, allow) => {
    const sent = clientFor(address, allow).send(request('http://api.example.com/'));
    await expect(sent).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining('must begin with https://') as string,
    });
  });

  // Nothing listens at the port of the discard protocol, so the connection fails at once.
  it('sends a secret without TLS to an address that the operator has named', async () => {
    const sent = clientFor('127.0.0.1', '127.0.0.1:9').send(
      request('http://inside.example.com:9/'),
    );
    await expect(sent).rejects.toMatchObject({ code: 'unavailable' });
  });
});
