import { describe, expect, it } from 'vitest';
import { LiquidSandbox } from './liquid-sandbox.js';

describe('filters without a result', () => {
  const liquid = new LiquidSandbox();
  const scope = { zero: 0, text: 'abc', list: [1], five: '5', yes: true, large: 1e308 };
  const evaluate = (expression: string): Promise<unknown> =>
    liquid.evaluate('org_1', `{{ ${expression} }}`, scope);

  it.each([
    ['5 | divided_by: 0', 'The filter divided_by cannot divide by zero.'],
    ['5 | divided_by: zero', 'The filter divided_by cannot divide by zero.'],
    ['5 | divided_by: missing', 'The filter divided_by cannot divide by zero.'],
    ['5 | modulo: "0"', 'The filter modulo cannot divide by zero.'],
    ['text | plus: 1', 'The filter plus got a value that is not a number.'],
    ['1 | times: text', 'The filter times got a value that is not a number.'],
    ['list | plus: 1', 'The filter plus got a value that is not a number.'],
    ['yes | plus: 1', 'The filter plus got a value that is not a number.'],
    ['text | round', 'The filter round got a value that is not a number.'],
    ['text | to_integer', 'The filter to_integer got a value that is not a number.'],
    ['large | times: large', 'The filter times has a result that is too large or is not a number.'],
    ['text | date: "%Y"', 'The filter date got a text that is not a date.'],
  ])('fail: %s', async (expression, message) => {
    await expect(evaluate(expression)).rejects.toMatchObject({
      code: 'invalid_arguments',
      message,
    });
  });

  it('fail in templates and conditions as in expressions', async () => {
    await expect(liquid.render('org_1', 'a {{ 1 | divided_by: 0 }}', scope)).rejects.toMatchObject({
      message: 'The filter divided_by cannot divide by zero.',
    });
    await expect(liquid.test('org_1', 'text | plus: 1', scope)).rejects.toMatchObject({
      code: 'invalid_arguments',
    });
  });

  it.each([
    ['five | plus: 1', 6],
    ['missing | plus: 1', 1],
    ['"" | plus: 1', 1],
    ['7 | divided_by: 2', 3.5],
    ['7 | modulo: 4', 3],
    ['" 2.5 " | round', 3],
    ['-3 | abs', 3],
    ['"2030-01-02" | date: "%Y"', '2030'],
    ['missing | date: "%Y"', null],
    ['"" | date: "%Y"', ''],
  ])('do not include %s, which has the result %j', async (expression, result) => {
    expect(await evaluate(expression)).toBe(result);
  });
});
