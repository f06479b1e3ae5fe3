import { describe, expect, it, vi } from 'vitest';
import type { AppError } from '../errors/app-error.js';
import { parseJson } from './request-body.js';

const codeOf = (body: Uint8Array | string): string => {
  try {
    parseJson(Buffer.from(body));
  } catch (error) {
    return (error as AppError).code;
  }
  return 'parsed';
};

describe(parseJson, () => {
  it.each([
    ['an object', '{}', 'parsed'],
    ['an empty body', '', 'invalid_json'],
    ['a syntax error', '{bad', 'invalid_json'],
    ['a trailing comma', '{"a":1,}', 'invalid_json'],
    ['a byte that is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'invalid_json'],
    ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'invalid_json'],
    ['64 levels', `${'['.repeat(64)}${']'.repeat(64)}`, 'parsed'],
    ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`, 'too_complex'],
    ['100,000 levels', '['.repeat(100_000) + ']'.repeat(100_000), 'too_complex'],
    ['10,000 members', `[${'0,'.repeat(9_999)}0]`, 'parsed'],
    ['10,001 members', `[${'0,'.repeat(10_000)}0]`, 'too_complex'],
  ])(
    'accepts only JSON in UTF-8 of at most 64 levels and 10,000 members: %s',
    (_name, body, expected) => {
      expect(codeOf(body)).toBe(expected);
    },
  );

  it('refuses a text with too many members without parsing it, because the values would fill the memory', () => {
    const parse = vi.spyOn(JSON, 'parse');
    expect(codeOf(`[${'{},'.repeat(20_000)}{}]`)).toBe('too_complex');
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  it('accepts 10,000 empty lists, although their commas and brackets are counted before the text is parsed', () => {
    expect(codeOf(`[${'[],'.repeat(9_999)}[]]`)).toBe('parsed');
  });
});
