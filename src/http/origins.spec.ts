import { describe, expect, it } from 'vitest';
import { Origins } from './origins.js';

const loopback = new Origins({ isLoopback: true });
const open = new Origins({ isLoopback: false });
const proxied = new Origins({ isLoopback: false, publicUrl: 'https://app.example' });

describe(Origins, () => {
  it.each([
    ['localhost:3000', undefined, true],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000', true],
    ['[::1]:3000', 'http://[::1]:3000', true],
    ['evil.example', undefined, false],
    ['evil.example:3000', 'http://evil.example:3000', false],
    ['localhost:3000', 'http://evil.example', false],
    ['localhost:3000', 'http://localhost:3001', false],
    ['localhost:3000', 'null', false],
    ['localhost:3000', 'http://localhost:3000/', false],
    ['', undefined, false],
  ])('returns for host %s with origin %s on loopback: %s', (host, origin, allowed) => {
    expect(loopback.allows({ host, origin })).toBe(allowed);
  });

  it('trusts no origin when no public address is configured', () => {
    expect(open.allows({ host: 'anything' })).toBe(true);
    expect(open.allows({ host: 'anything', origin: 'http://anything' })).toBe(false);
  });

  it('trusts only the origin of the configured public address', () => {
    expect(proxied.allows({ host: 'internal:3000', origin: 'https://app.example' })).toBe(true);
    expect(proxied.allows({ host: 'internal:3000', origin: 'http://app.example' })).toBe(false);
    expect(proxied.allows({ host: 'x', origin: 'https://app.example.evil' })).toBe(false);
  });
});
