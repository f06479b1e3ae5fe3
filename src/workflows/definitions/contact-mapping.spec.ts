import { describe, expect, it } from 'vitest';
import { type ContactMapping, withContactStep } from './contact-mapping.js';
import type { Step } from './definition.js';
import { DefinitionTooLargeError } from './stored-steps.js';
import { withTimeoutStep } from './steps/timeout-step.js';

const SET: Step = { id: 'a', set: { a: 1 } };
const withStored = (mapping: unknown): readonly Step[] =>
  withContactStep(mapping as ContactMapping, [SET]);

describe(withContactStep, () => {
  it('generates a step that continues after a failure only when the mapping says "continue"', () => {
    const errorsOf = (mapping: object): unknown =>
      withStored(mapping).map((step) => ('on_error' in step ? step.on_error : undefined));
    expect(errorsOf({ email: 'a' })).toEqual(['fail', undefined]);
    expect(errorsOf({ email: 'a', on_error: 'continue' })).toEqual(['continue', undefined]);
  });

  it('uses "fail" in place of a stored on_error that could not be saved now', () => {
    const many = Array.from({ length: 80_000 }, () => SET);
    for (const stored of [many, 'other', 1, null, {}]) {
      const [step] = withStored({ email: 'a', on_error: stored });
      expect(step).toMatchObject({ id: 'trigger.contact', on_error: 'fail' });
    }
  });

  it('throws DefinitionTooLargeError for a mapping that is larger than a definition', () => {
    const nested = JSON.parse(`${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`) as object;
    for (const properties of [nested, { a: 'x'.repeat(600_000) }, Array(600_000).fill(1)]) {
      expect(() => withStored({ email: 'a', properties })).toThrow(DefinitionTooLargeError);
    }
  });
});

describe(withTimeoutStep, () => {
  it('generates no step for a stored timeout that saving does not allow', () => {
    for (const seconds of ['60', [1], {}, -1, 1e300, null, undefined]) {
      expect(withTimeoutStep(seconds as number, [SET])).toEqual([SET]);
    }
    expect(withTimeoutStep(60, [SET])).toHaveLength(2);
  });
});
