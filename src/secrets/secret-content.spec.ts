import { describe, expect, it } from 'vitest';
import { isHost, mayReceive } from './secret-content.js';

describe('mayReceive', () => {
  it.each([
    ['api.example.com', 'api.example.com', true],
    ['api.example.com', 'API.example.com', true],
    ['api.example.com', 'example.com', false],
    ['api.example.com', 'evil-api.example.com', false],
    ['*.example.com', 'api.example.com', true],
    ['*.example.com', 'a.b.example.com', true],
    ['*.example.com', 'example.com', false],
    ['*.example.com', 'evilexample.com', false],
    ['*.example.com', 'example.com.evil.test', false],
  ])('returns for the allowed host %s and the host %s: %s', (allowed, host, expected) => {
    expect(mayReceive({ hosts: [allowed] }, host)).toBe(expected);
  });
});

describe('isHost', () => {
  it.each(['api.example.com', '*.example.com', 'localhost', '127.0.0.1', '::1', 'API.example.com'])(
    'accepts %s',
    (host) => expect(isHost(host)).toBe(true),
  );

  it.each([
    'https://api.example.com',
    'api.example.com/v1',
    'api.example.com:8080',
    'a.*.example.com',
    '*',
    '[::1]',
    'api..example.com',
    ' api.example.com',
    `${'a.'.repeat(130)}com`,
  ])('refuses %s, which no request would have as its host', (host) => {
    expect(isHost(host)).toBe(false);
  });
});
