import { describe, expect, it } from 'vitest';
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
    ['{}', 'parsed'],
    ['', 'invalid_json'],
    ['{bad', 'invalid_json'],
    ['{"a":1,}', 'invalid_json'],
    [Buffer.from([0x22, 0xff, 0x22]), 'invalid_json'],
    [Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'invalid_json'],
    [`${'['.repeat(64)}${']'.repeat(64)}`, 'parsed'],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 'too_complex'],
    ['['.repeat(100_000) + ']'.repeat(100_000), 'too_complex'],
    [`[${'0,'.repeat(9_999)}0]`, 'parsed'],
    [`[${'0,'.repeat(10_000)}0]`, 'too_complex'],
  ])('%#', (body, expected) => {
    expect(codeOf(body)).toBe(expected);
  });
});
