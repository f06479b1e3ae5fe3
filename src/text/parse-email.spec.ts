import { describe, expect, it } from 'vitest';
import { normalizeEmail, parseEmail } from './parse-email.js';

describe('parseEmail', () => {
  it.each([
    ['Ada@Example.com', 'ada@example.com'],
    ['ada+news@example.com', 'ada+news@example.com'],
    ['ada@bücher.example', 'ada@bücher.example'],
    ['ada@xn--bcher-kva.example', 'ada@bücher.example'],
    ['ada@BÜCHER.example', 'ada@bücher.example'],
    ['ada@mail。example.com', 'ada@mail.example.com'],
    ['ada@mail．example.com', 'ada@mail.example.com'],
    ['ada@ｅxample.com', 'ada@example.com'],
  ])('returns one spelling of %s', (text, value) => {
    expect(parseEmail(text)).toEqual({ value });
  });

  it.each([
    '',
    '@',
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    'ada@1.2.3',
    'ada@[127.0.0.1]',
    'ada@example.com.',
    'ada@exa mple.com',
    'ada@example.com,eve@example.com',
    'Ada <ada@example.com>',
    '"ada"@example.com',
    'ada@example.com\r\nBcc: eve@example.com',
    'ada@example.com\u0000',
    `${'a'.repeat(250)}@example.com`,
    `ada@${'a.'.repeat(200)}com`,
  ])('rejects %j', (text) => {
    expect(parseEmail(text)).toHaveProperty('fault');
  });
});

describe('normalizeEmail', () => {
  // As a domain, 1.2 would be the address 1.0.0.2.
  it.each([
    ['Ada', 'ada'],
    ['1.2', '1.2'],
    ['Ada@XN--BCHER-KVA.example', 'ada@bücher.example'],
  ])('returns one spelling of an address, and other text in lowercase: %s', (text, value) => {
    expect(normalizeEmail(text)).toBe(value);
  });
});
