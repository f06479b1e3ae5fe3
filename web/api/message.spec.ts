import { describe, expect, it } from 'vitest';
import { titleOf } from './message.js';

describe(titleOf, () => {
  it('returns the subject of a message', () => {
    expect(titleOf({ subject: 'Hello', body: 'Text' }, 'No subject')).toBe('Hello');
  });

  it('returns the beginning of the text of a message that has no subject', () => {
    expect(titleOf({ subject: null, body: 'Hello Ada' }, 'No subject')).toBe('Hello Ada');
    expect(titleOf({ subject: null, body: 'x'.repeat(81) }, 'No subject')).toBe(
      `${'x'.repeat(80)}…`,
    );
  });

  it('returns the given text when the message has neither a subject nor a text', () => {
    expect(titleOf({ subject: null, body: ' ' }, 'No subject')).toBe('No subject');
  });
});
