import pg, { type ClientBase, type Connection } from 'pg';
import { AppError } from '../../errors/app-error.js';
import { jsonMemory } from '../../text/json-memory.js';
import { PARSE_LIMITS, ParseCost } from '../../text/json-members.js';

/** The largest number of bytes that a connection receives for one round trip, and that its rows take in memory. */
export const MOST_ANSWER_BYTES = 256 * 1024 * 1024;
/** The memory that a row takes besides its values, and that a value takes besides its characters, in bytes. */
const ROW_BYTES = 64;
const VALUE_BYTES = 32;
/** The memory of a value in bytes, by the OID of its type: byte strings, points, circles, times and intervals. */
const OBJECT_BYTES: Readonly<Record<number, number>> = {
  17: 200,
  600: 96,
  718: 128,
  1082: 128,
  1114: 128,
  1184: 128,
  1186: 96,
};
/** The largest number of columns of a row that V8 does not store as a hash table. */
const MOST_PLAIN_COLUMNS = 1000;
/** The additional memory, in bytes, of each value of a row that V8 stores as a hash table. */
const HASHED_BYTES = 56;
/**
 * The number of characters of JSON in one round trip that are not counted, because this number of characters takes at
 * most 65 MiB of memory.
 */
const UNCOUNTED_CHARACTERS = 1024 * 1024;
/**
 * The largest amount of memory, in bytes, that one character of an array takes while pg parses the array. An array such
 * as `{{1},{1},…}` takes this amount.
 */
const ARRAY_BYTES = 48;

/**
 * The largest number of characters that the arrays of a row may have. pg parses a character in about 0.1 µs, and a
 * character of a nested array in 0.4 µs.
 */
const MOST_ARRAY_CHARACTERS = 512 * 1024;

const JSON_TYPES = [114, 3802];
/** The types of arrays that pg parses. For other arrays, pg returns the text. */
const ARRAY_TYPES = [
  199, 651, 791, 1000, 1001, 1005, 1007, 1008, 1009, 1014, 1015, 1016, 1017, 1021, 1022, 1028, 1040,
  1041, 1115, 1182, 1183, 1185, 1187, 1231, 1270, 2951, 3807, 3907,
];

const memories = new WeakMap<Connection, AnswerMemory>();

/**
 * Counts the memory that the rows of one round trip take, and ends the connection before they take too much. A limit of
 * received bytes is not enough: millions of small rows, or JSON of many small values, take much more memory than bytes.
 * This class also ends the connection before the JSON and the arrays of a row take too long to parse. The process can
 * do no other work while it parses a row, but it does other work between two rows.
 */
export class AnswerMemory {
  private bytes = 0;
  private jsonCharacters = 0;
  private readonly cost = new ParseCost();
  private arrayCharacters = 0;

  /** Makes the client count the memory of each JSON value and each array before it parses the value. */
  constructor(readonly client: ClientBase & { readonly connection: Connection }) {
    memories.set(client.connection, this);
    this.checkBeforeParsing(JSON_TYPES, (text) => this.holdJson(text));
    this.checkBeforeParsing(ARRAY_TYPES, (text) => this.holdArray(text));
    client.connection.prependListener('dataRow', () => this.beginRow());
  }

  /** Starts to count for the next round trip. */
  clear(): void {
    this.bytes = 0;
    this.jsonCharacters = 0;
  }

  private beginRow(): void {
    this.cost.clear();
    this.arrayCharacters = 0;
  }

  private holdArray(text: string): void {
    this.arrayCharacters += text.length;
    if (this.arrayCharacters > MOST_ARRAY_CHARACTERS) throw this.endCostly();
    this.hold(text.length * ARRAY_BYTES);
  }

  private holdJson(text: string): void {
    if (!this.cost.add(text)) throw this.endCostly();
    this.jsonCharacters += text.length;
    if (this.jsonCharacters > UNCOUNTED_CHARACTERS) this.hold(jsonMemory(text));
  }

  /** Counts this memory. Above the limit, ends the connection and throws `payload_too_large`. */
  hold(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > MOST_ANSWER_BYTES) throw endAnswer(this.client.connection);
  }

  private endCostly(): AppError {
    const { characters, members, names } = PARSE_LIMITS;
    return end(
      this.client.connection,
      'A row of the answer of the database takes too long to parse. The JSON of a row has at most ' +
        `${members} values, ${names} names and ${characters / 1024 / 1024} MiB.`,
    );
  }

  private checkBeforeParsing(types: readonly number[], check: (text: string) => void): void {
    for (const type of types) {
      const parse: (text: string) => unknown = pg.types.getTypeParser(type, 'text');
      this.client.setTypeParser(type, 'text', (text: string) => {
        check(text);
        return parse(text);
      });
    }
  }
}

/** Returns the bytes of memory of each row of an answer with these columns, without the characters of its values. */
export function rowBytesOf(fields: readonly { readonly dataTypeID: number }[]): number {
  let bytes = ROW_BYTES;
  for (const { dataTypeID } of fields) bytes += OBJECT_BYTES[dataTypeID] ?? VALUE_BYTES;
  return fields.length > MOST_PLAIN_COLUMNS ? bytes + fields.length * HASHED_BYTES : bytes;
}

/** Returns the `AnswerMemory` of a connection, or undefined when the answers of the connection are not limited. */
export function memoryOf(connection: Connection): AnswerMemory | undefined {
  return memories.get(connection);
}

/** Ends the connection, so that the statements that wait for an answer fail. Returns the error of these statements. */
export function endAnswer(connection: Connection): AppError {
  const megabytes = MOST_ANSWER_BYTES / 1024 / 1024;
  return end(
    connection,
    `The answer of the database is larger than ${megabytes} MiB. Read fewer rows or smaller values.`,
  );
}

function end({ stream }: Connection, message: string): AppError {
  const error = new AppError('payload_too_large', message);
  stream.destroy(error);
  return error;
}
