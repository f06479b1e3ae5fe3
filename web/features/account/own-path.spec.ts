import { describe, expect, it } from 'vitest';
import { ownPath } from './own-path.js';

describe(ownPath, () => {
  it.each(['/', '/runs?status=failed'])('keeps %s', (path) => expect(ownPath(path)).toBe(path));
  it.each([
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n\\evil.example',
    'https://evil.example',
    'javascript:1',
    '',
    1,
  ])('refuses %j', (path) => expect(ownPath(path)).toBeUndefined());
});
