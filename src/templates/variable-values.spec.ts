import { describe, expect, it } from 'vitest';
import { FaultList } from '../errors/fault-list.js';
import type { TemplateVariable } from './template-content.js';
import { checkNames } from './variable-values.js';

const declare = (count: number): TemplateVariable[] =>
  Array.from({ length: count }, (_, index) => ({ name: `variable_${index}`, type: 'text' }));

function faultsOf(variables: readonly TemplateVariable[], given: object): FaultList {
  const faults = new FaultList();
  checkNames(variables, given, faults);
  return faults;
}

describe(checkNames.name, () => {
  it('adds a fault with a hint for each member that is not a variable', () => {
    const faults = faultsOf(declare(50), { variable_1: '', varible_49: '', constructor: '' });
    expect(faults.first).toEqual([
      {
        path: 'variables.varible_49',
        message: expect.stringMatching(
          /^is not a variable of the template\. Did you mean variable_49/,
        ) as string,
      },
      { path: 'variables.constructor', message: 'is not a variable of the template.' },
    ]);
  });

  it('compares a name only with the first 100 variables', () => {
    const declared = declare(200_000);
    const named = (index: number): TemplateVariable[] =>
      declared.with(index, { name: 'first_name', type: 'text' });
    const message = 'is not a variable of the template.';
    expect(faultsOf(named(99), { frist_name: '' }).first[0]!.message).toBe(
      `${message} Did you mean first_name?`,
    );
    expect(faultsOf(named(100), { frist_name: '' }).first[0]!.message).toBe(message);
  });
});
