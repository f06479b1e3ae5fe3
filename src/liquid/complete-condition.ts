import { type Token, TypeGuards } from 'liquidjs';
import { AppError } from '../errors/app-error.js';

/**
 * Throws `invalid_arguments` when an operator lacks a value, such as in `a ==` or `a and`. LiquidJS would use an absent
 * value there. The tokens are in postfix order: each operator follows its values.
 */
export function assertComplete(postfix: readonly Token[]): void {
  let values = 0;
  for (const token of postfix) {
    const needed = operandsOf(token);
    if (values < needed || isOpenText(token)) throw incomplete();
    values += 1 - needed;
  }
  if (values !== 1) throw incomplete();
}

/**
 * Returns a hint that says how to correct a condition that could not be parsed. Returns undefined when no known fault
 * is found.
 */
export function conditionHint(condition: string): string | undefined {
  if (/^\s*\{[{%]/.test(condition)) {
    return 'A condition is written without braces, such as trigger.payload.plan == "pro".';
  }
  return /&&|\|\|/.test(condition)
    ? 'Combine conditions with and, or, not, in place of && and ||.'
    : undefined;
}

function operandsOf(token: Token): number {
  if (!TypeGuards.isOperatorToken(token)) return 0;
  return token.operator === 'not' ? 1 : 2;
}

/**
 * Returns true for a text whose closing quote is missing. LiquidJS would accept the text without its last character.
 */
function isOpenText(token: Token): boolean {
  if (!TypeGuards.isQuotedToken(token)) return false;
  const text = token.getText();
  return text.length < 2 || !text.endsWith(text[0]!);
}

function incomplete(): AppError {
  return AppError.invalid(
    'A value is missing beside an operator, or a quote is not closed. Compare as in trigger.payload.plan == "pro".',
  );
}
