/**
 * Checks a value of an answer and returns it with its type. Throws {@link UnexpectedAnswer} for a value of another
 * type.
 */
export type Reader<T> = (value: unknown, path: string) => T;
/** The type that a reader returns. */
export type Read<R> = R extends Reader<infer T> ? T : never;

/**
 * Reports an answer in a form that this build of the dashboard does not know, for example after an update of the
 * service.
 */
export class UnexpectedAnswer extends Error {
  constructor(path: string, expected: string) {
    super(`The answer has no ${expected} at ${path || 'its root'}.`);
  }
}

export const text: Reader<string> = (value, path) => {
  if (typeof value !== 'string') throw new UnexpectedAnswer(path, 'text');
  return value;
};

export const number: Reader<number> = (value, path) => {
  if (typeof value !== 'number') throw new UnexpectedAnswer(path, 'number');
  return value;
};

export const boolean: Reader<boolean> = (value, path) => {
  if (typeof value !== 'boolean') throw new UnexpectedAnswer(path, 'boolean');
  return value;
};

/** Reads any JSON, for payloads, inputs and outputs. */
export const json: Reader<unknown> = (value) => value;

export function nullable<T>(inner: Reader<T>): Reader<T | null> {
  return (value, path) => (value === null ? null : inner(value, path));
}

/** Reads a member that may be absent. */
export function optional<T>(inner: Reader<T>): Reader<T | undefined> {
  return (value, path) => (value === undefined ? undefined : inner(value, path));
}

export function list<T>(inner: Reader<T>): Reader<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw new UnexpectedAnswer(path, 'list');
    return value.map((each: unknown, index) => inner(each, `${path}[${index}]`));
  };
}

/** Reads an object whose members have any names, and values of one type. */
export function dictionary<T>(inner: Reader<T>): Reader<Record<string, T>> {
  return (value, path) => {
    if (!isObject(value)) throw new UnexpectedAnswer(path, 'object');
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, inner(each, `${path}.${name}`)]),
    );
  };
}

type Members = { readonly [name: string]: Reader<unknown> };

/** Reads an object with these members. Other members are left out. */
export function record<M extends Members>(
  members: M,
): Reader<{ [Name in keyof M]: Read<M[Name]> }> {
  return (value, path) => {
    if (!isObject(value)) throw new UnexpectedAnswer(path, 'object');
    const read = Object.entries(members).map(([name, reader]) => [
      name,
      reader(value[name], path ? `${path}.${name}` : name),
    ]);
    // Object.fromEntries loses the names and types of the members, so the type is stated here.
    return Object.fromEntries(read) as { [Name in keyof M]: Read<M[Name]> };
  };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
