import { AppError } from '../../../errors/app-error.js';

/** The largest number of fields of a form, and of parts of a multipart body. */
export const MAX_FIELDS = 1000;

export type Field = readonly [name: string, value: unknown];

/** Returns an object with the fields. A name that occurs several times gets the list of its values. */
export function objectOfFields(fields: readonly Field[]): Record<string, unknown> {
  const values = new Map<string, unknown[]>();
  for (const [name, value] of fields) {
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return Object.fromEntries(
    [...values].map(([name, list]): [string, unknown] => [name, list.length > 1 ? list : list[0]]),
  );
}

/**
 * Parses `application/x-www-form-urlencoded` text, such as a form or a query. Throws `too_complex` for more than 1,000
 * fields, and `invalid_body` for bytes that are not UTF-8.
 */
export function parseForm(text: string): Field[] {
  const pieces = text.split('&', MAX_FIELDS + 1);
  if (pieces.length > MAX_FIELDS) throw tooManyFields();
  return pieces
    .filter((piece) => piece !== '')
    .map((piece): Field => {
      const end = piece.indexOf('=');
      const [name, value] = end < 0 ? [piece, ''] : [piece.slice(0, end), piece.slice(end + 1)];
      return [decode(name), decode(value)];
    });
}

export function tooManyFields(): AppError {
  return new AppError('too_complex', `The body has more than ${MAX_FIELDS} fields.`);
}

export function notUtf8(): AppError {
  return new AppError('invalid_body', 'The body is not UTF-8.');
}

/** Decodes a text. A percent sign without two digits stays as it is, as in browsers. */
function decode(text: string): string {
  const escaped = text.replaceAll('+', ' ').replace(/%(?![0-9a-f]{2})/gi, '%25');
  try {
    return decodeURIComponent(escaped);
  } catch {
    throw notUtf8();
  }
}
