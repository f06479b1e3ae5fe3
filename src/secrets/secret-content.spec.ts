import { describe, expect, it } from 'vitest';
import { mayReceive } from './secret-content.js';

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
  ])('compares the allowed host %s with %s', (allowed, host, expected) => {
    expect(mayReceive({ hosts: [allowed] }, host)).toBe(expected);
  });
});
