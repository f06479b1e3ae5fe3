import { describe, expect, it } from 'vitest';
import { endsAfterHost, secretFaults } from './secrets-in-urls.js';

describe(endsAfterHost, () => {
  it.each([
    'https://a.example/',
    'https://a.example/x/',
    'https://a.example?',
    'https://a.example#',
    String.raw`https:\\a.example\x`,
    'https:a.example/x',
    'https://[::1]:8443/',
    '\t https://a.example/',
  ])('returns true for a text that ends after the host of a URL: %j', (beginning) => {
    expect(endsAfterHost(beginning)).toBe(true);
  });

  it.each([
    '',
    'https',
    'https://',
    'https:///',
    'https://a.example',
    'https://a.example.',
    'https://a.example:',
    'https://a.example:44',
    'https://user:',
    'https://user:pass',
    'https://user@',
    'https://user:pass@',
    'https://[::',
    'https://10.0.0.',
    'https://a.example\n',
    String.raw`https:\\`,
    'https:/',
    '/x/',
    'https://a b/',
  ])('returns false for a text that ends before the path of a URL: %j', (beginning) => {
    expect(endsAfterHost(beginning)).toBe(false);
  });
});

describe(secretFaults, () => {
  it.each([
    ['https://{{ secrets.k }}.a.example/', 1],
    ['https://a.example:{{-secrets.k-}}/', 1],
    ['{{ secrets.k }}', 1],
    ['https://a.example/{{ secrets.k }}?x={{ secrets.l }}', 0],
    ['https://{{ vars.host }}/?k={{ secrets.k }}', 0],
    ['https://a.example/', 0],
    [undefined, 0],
  ])('returns a fault only for a secret before the path of a URL: %j', (url, count) => {
    expect(secretFaults(url)).toHaveLength(count);
  });
});
