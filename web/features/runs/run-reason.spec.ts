import { describe, expect, it } from 'vitest';
import { runReasonsTexts } from '../../texts/run-reasons.texts.js';
import { describeReason, reasonOptions } from './run-reason.js';

const { en } = runReasonsTexts;

describe('describeReason', () => {
  it.each([
    ['step_failed:person', 'The step person failed'],
    ['stopped:each[3].halt', 'The step each[3].halt stopped the run'],
    ['step_failed', 'A step failed'],
    ['requested', 'Canceled on request'],
    ['constructor', 'constructor'],
    ['a later reason:x', 'a later reason:x'],
  ])('describes %s in words, or leaves it unchanged', (reason, words) => {
    expect(describeReason(reason, en)).toBe(words);
  });
});

describe('reasonOptions', () => {
  it('has each known reason and each given reason once', () => {
    const values = reasonOptions(en, [
      '',
      'poison',
      'step_failed:person',
      'step_failed:person',
    ]).map(({ value }) => value);
    expect(values.slice(0, 2)).toEqual(['', 'step_failed']);
    expect(values.at(-1)).toBe('step_failed:person');
    expect(reasonOptions(en, ['poison'])).toHaveLength(values.length - 1);
  });
});
