import express, { type Request } from 'express';
import { describe, expect, it } from 'vitest';
import { languageOfRequest, preferredLanguage } from './page-language.js';

function requestWith(header: string | undefined): Request {
  const headers = { value: { 'accept-language': header } };
  return Object.create(express.request, { headers }) as Request;
}

const FILLER = 'xx;q=0.1,'.repeat(22);

describe.each([
  ['languageOfRequest', languageOfRequest],
  ['preferredLanguage', (request: Request) => preferredLanguage(request, ['en', 'de'])],
] as const)('%s', (_, language) => {
  it.each([
    ['de', 'de'],
    ['ja, de;q=0.8, en;q=0.5', 'de'],
    ['ja', 'en'],
    ['', 'en'],
    [undefined, 'en'],
  ])('reads %s', (header, expected) => expect(language(requestWith(header))).toBe(expected));

  it('ignores languages after the first 200 characters', () => {
    expect(FILLER.length).toBe(198);
    expect(language(requestWith(`de,${FILLER.repeat(80)}`))).toBe('de');
    expect(language(requestWith(`${FILLER.repeat(80)}de`))).toBe('en');
  });

  it('ignores a language whose weight is cut off', () => {
    expect(language(requestWith(`en;q=0.5,${FILLER.slice(0, 189)}de;q=0.1`))).toBe('en');
  });

  it('ignores a long header without commas', () => {
    expect(language(requestWith('de-'.repeat(5000)))).toBe('en');
  });
});
