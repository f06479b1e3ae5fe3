import { describe, expect, it } from 'vitest';
import { HostResolver } from '../outbound/host-resolver.js';
import { OutboundClient } from '../outbound/outbound-client.js';
import { OutboundRules } from '../outbound/outbound-rules.js';
import { ProviderRequests } from './provider-requests.js';

describe(ProviderRequests, () => {
  it('sends nothing to a provider without TLS', async () => {
    const requests = new ProviderRequests(
      new OutboundClient(new OutboundRules([]), new HostResolver()),
    );
    const { failure } = await requests.send(
      { url: 'http://1.1.1.1/', headers: {} },
      new AbortController().signal,
    );
    expect(failure).toMatchObject({
      outcome: 'refused',
      code: 'invalid_address',
      reason: expect.stringContaining('https://') as string,
    });
  });
});
