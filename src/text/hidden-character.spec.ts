import { describe, expect, it } from 'vitest';
import { hiddenCharacter } from './hidden-character.js';

describe(hiddenCharacter, () => {
  it.each(['', 'Plain text.', 'Zwei\nZeilen\tund ein Umlaut: größe', 'नमस्ते 👩‍👩‍👧 שלום'])(
    'returns undefined for %j',
    (text) => expect(hiddenCharacter(text)).toBeUndefined(),
  );

  it.each([
    ['a\0b', 'the character U+0000'],
    ['a\x1b[2Jb', 'the character U+001B'],
    ['a\rb', 'the character U+000D'],
    ['a\u202eb', 'the character U+202E'],
    ['a\u2066b', 'the character U+2066'],
    ['a\u{e0041}b', 'the character U+E0041'],
    ['a\ud800b', 'half of a surrogate pair'],
  ])('names the hidden character in %j', (text, name) => expect(hiddenCharacter(text)).toBe(name));
});
