import { AppError } from '../../errors/app-error.js';
import type { ArchiveEntry, ArchiveSequence } from './archive-entry.js';

type Fields = Record<string, unknown>;

/** Reads one part of an archive from JSON. `sha256` is set at the end of a table. Throws when a field is wrong. */
export function parseEntry(bytes: Buffer): { entry: ArchiveEntry; sha256?: string } {
  const fields = parseObject(bytes);
  switch (fields['kind']) {
    case 'header':
      return {
        entry: {
          kind: 'header',
          product: text(fields, 'product'),
          takenAt: text(fields, 'takenAt'),
          migrations: texts(fields, 'migrations'),
          moduleMigrations: texts(fields, 'moduleMigrations'),
          secretKeys: texts(fields, 'secretKeys'),
        },
      };
    case 'table':
      return {
        entry: { kind: 'table', table: text(fields, 'table'), columns: texts(fields, 'columns') },
      };
    case 'table_end':
      return {
        entry: { kind: 'table_end', rows: count(fields, 'rows') },
        sha256: text(fields, 'sha256'),
      };
    case 'end':
      return {
        entry: {
          kind: 'end',
          tables: count(fields, 'tables'),
          sequences: list(fields, 'sequences').map(toSequence),
        },
      };
    default:
      throw wrong('kind');
  }
}

function parseObject(bytes: Buffer): Fields {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw wrong('JSON');
  }
  return toFields(value);
}

function toFields(value: unknown): Fields {
  if (typeof value !== 'object' || value === null) throw wrong('object');
  return value as Fields;
}

function toSequence(value: unknown): ArchiveSequence {
  const fields = toFields(value);
  return { name: text(fields, 'name'), last: text(fields, 'last') };
}

function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw wrong(name);
  return value;
}

function texts(fields: Fields, name: string): string[] {
  const values = list(fields, name);
  if (!values.every((value) => typeof value === 'string')) throw wrong(name);
  return values;
}

function list(fields: Fields, name: string): unknown[] {
  const value = fields[name];
  if (!Array.isArray(value)) throw wrong(name);
  return value;
}

function count(fields: Fields, name: string): number {
  const value = fields[name];
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw wrong(name);
  return value as number;
}

function wrong(name: string): AppError {
  return AppError.invalid(`The archive is damaged: its ${name} is wrong. Use another one.`);
}
