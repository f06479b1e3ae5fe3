import { describe, expect, it } from 'vitest';
import { LiquidSandbox } from './liquid-sandbox.js';

const liquid = new LiquidSandbox();
const scope = {
  zero: 0,
  five: 5,
  quiet: '',
  text: 'b',
  number: '15',
  none: null,
  list: [1],
  no: false,
};
const test = (condition: string): Promise<boolean> => liquid.test('org_1', condition, scope);

describe('comparisons with <, <=, > and >=', () => {
  it.each([
    ['five > zero', true],
    ['zero >= 0', true],
    ['zero < 0', false],
    ['text > "a"', true],
    ['"a" <= text', true],
    ['number > 5', true],
    ['number > 9', true],
    ['5 < number', true],
    ['number > "9"', false],
  ])('%s is %s, in the order of numbers or of texts', async (condition, expected) => {
    expect(await test(condition)).toBe(expected);
  });

  it.each(['none', 'absent', 'quiet', 'text', 'list', 'no', 'absent.deeper'])(
    'are false between %s and a number',
    async (name) => {
      for (const order of ['<', '<=', '>', '>=']) {
        expect(await test(`${name} ${order} 0`)).toBe(false);
        expect(await test(`0 ${order} ${name}`)).toBe(false);
        expect(await test(`not ${name} ${order} 0`)).toBe(true);
      }
    },
  );

  it('have the same result in templates as in conditions', async () => {
    const template = '{% if absent <= 0 %}yes{% else %}no{% endif %}';
    expect(await liquid.render('org_1', template, scope)).toBe('no');
    const items = [{ x: null }, { x: 0 }, {}, { x: 1 }];
    const loop = '{% for i in items %}{% if i.x >= 0 %}{{ i.x }}{% endif %}{% endfor %}';
    expect(await liquid.render('org_1', loop, { items })).toBe('01');
  });
});

describe('the truth of a value', () => {
  it('is false only for null, an absent value and false', async () => {
    for (const name of ['none', 'absent', 'no']) expect(await test(name)).toBe(false);
    for (const name of ['zero', 'quiet', 'list', 'text']) expect(await test(name)).toBe(true);
    expect(await test('zero == 0 and quiet == ""')).toBe(true);
    expect(await test('quiet == blank and none == nil and absent == nil')).toBe(true);
  });
});
