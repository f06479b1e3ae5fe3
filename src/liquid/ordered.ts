import { type Operators, defaultOperators, toValue } from 'liquidjs';

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const ORDERS = ['<', '<=', '>', '>='] as const;

/**
 * The operators `<`, `<=`, `>` and `>=`, which replace the operators of LiquidJS. They compare two numbers, two texts,
 * or a number and a text that is a number. Every other comparison is false. In LiquidJS, as in JavaScript, null and an
 * empty text count as 0. A missing value would then be "less than 1".
 */
export const ORDERED_OPERATORS: Operators = Object.fromEntries(
  ORDERS.map((name) => {
    const compare = defaultOperators[name]!;
    return [
      name,
      function* (left, right, context) {
        const values: unknown[] = [yield toValue(left), yield toValue(right)];
        return comparable(values) && (yield compare(...toComparable(values), context));
      } satisfies Operators[string],
    ];
  }),
);

function comparable([left, right]: readonly unknown[]): boolean {
  if (typeof left === 'string' && typeof right === 'string') return true;
  return isNumeric(left) && isNumeric(right);
}

/** Returns true for a number, and for a text that is a number. */
export function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && NUMBER.test(value.trim()));
}

/** Returns two texts unchanged, and converts all other pairs to numbers. */
function toComparable([left, right]: readonly unknown[]): [unknown, unknown] {
  if (typeof left === 'string' && typeof right === 'string') return [left, right];
  return [Number(left), Number(right)];
}
