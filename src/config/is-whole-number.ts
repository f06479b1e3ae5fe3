import { buildMessage, ValidateBy } from 'class-validator';

/** Accepts whole numbers from `least` to `most`. A fault is one message, whatever is wrong with the value. */
export function IsWholeNumber(least: number, most: number): PropertyDecorator {
  return ValidateBy({
    name: 'isWholeNumber',
    validator: {
      validate: (value) => Number.isInteger(value) && value >= least && value <= most,
      defaultMessage: buildMessage(() => `it must be a whole number from ${least} to ${most}`),
    },
  });
}
