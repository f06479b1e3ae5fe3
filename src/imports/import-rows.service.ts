import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { identifiersOf } from '../contacts/contact-batch.js';
import { ContactBatchesService } from '../contacts/contact-batches.service.js';
import { type ContactChanges, parseChanges } from '../contacts/contact-fields.js';
import type { ContactRules } from '../contacts/contact-rules.js';
import { ContactRulesService } from '../contacts/contact-rules.service.js';
import { CreateContactInput } from '../contacts/contact.inputs.js';
import { AppError } from '../errors/app-error.js';
import { asSentence } from '../errors/as-sentence.js';
import { classSchema } from '../tools/schema/class-schema.js';
import { parseArguments } from '../tools/schema/parse-arguments.js';
import type { ContactImport } from './import.entity.js';
import { type ImportCounts, ImportsRepository, type NewFault } from './imports.repository.js';
import { readContact } from './read-contact.js';
import { storable } from './read-rows.js';

const SCHEMA = classSchema(CreateContactInput);
/** Other work of the process waits at most for this many rows. */
const ROWS_AT_ONCE = 50;

/** Is a row of a file, with its number. The row with the names of the columns is row 1. */
export interface NumberedRow {
  readonly number: number;
  readonly cells: readonly string[];
}

interface ValidRow extends NumberedRow {
  readonly changes: ContactChanges;
}

/** Writes the contacts of some rows of an import, in the transaction of the caller. */
@Injectable()
export class ImportRowsService {
  constructor(
    private readonly rules: ContactRulesService,
    private readonly contacts: ContactBatchesService,
    private readonly imports: ImportsRepository,
  ) {}

  /** Returns what happened to the rows. Stores those that were not imported, with the reasons. */
  async write(job: ContactImport, rows: readonly NumberedRow[]): Promise<ImportCounts> {
    const counts = { created: 0, updated: 0, unchanged: 0, skipped: 0, duplicate: 0, failed: 0 };
    const faults: NewFault[] = [];
    const reject = ({ number, cells }: NumberedRow, reasons: string): void => {
      faults.push({ row: number, cells: JSON.stringify(cells), reasons: storable(reasons) });
    };
    const rules = await this.rules.keep(job.organizationId);
    const valid: ValidRow[] = [];
    for (const [index, row] of rows.entries()) {
      if (index % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await yieldToOthers();
      const changes = readRow(job, row, rules);
      if (changes instanceof AppError) {
        counts.failed += 1;
        reject(row, reasonsOf(changes));
      } else if (changes) valid.push({ ...row, changes });
      else counts.skipped += 1;
    }
    const unique = await this.withoutRepeated(job, valid, (row, identifier, first) => {
      counts[identifier === job.options!.match_by ? 'duplicate' : 'failed'] += 1;
      reject(row, `${identifier} is the same as in row ${first} of the file.`);
    });
    const { match_by: matchBy, on_existing: onExisting, source } = job.options!;
    const outcomes = await this.contacts.write(
      job.organizationId,
      unique.map(({ changes }) => changes),
      {
        matchBy,
        onExisting,
        source,
        emitsEvents: job.options!.start_workflows,
        isDryRun: job.options!.dry_run,
      },
    );
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome instanceof AppError) {
        counts.failed += 1;
        reject(unique[index]!, reasonsOf(outcome));
      } else counts[outcome] += 1;
    }
    await this.imports.insertFaults(job, faults);
    return counts;
  }

  /** Returns the rows of which no earlier row of the file has an identifier, and calls `refuse` for each other row. */
  private async withoutRepeated(
    job: ContactImport,
    rows: readonly ValidRow[],
    refuse: (row: ValidRow, identifier: string, first: number) => void,
  ): Promise<ValidRow[]> {
    const keyed = rows.map((row) => ({
      row,
      keys: identifiersOf(row.changes).map(([name, value]) => ({ name, key: keyOf(name, value) })),
    }));
    const all = keyed.flatMap(({ keys }) => keys.map(({ key }) => key));
    const seen = await this.imports.findKeys(job, all);
    const added = new Map<string, number>();
    const unique = keyed.flatMap(({ row, keys }) => {
      const repeated = keys
        .filter(({ key }) => seen.has(key))
        .sort((a) => (a.name === job.options!.match_by ? -1 : 1));
      if (repeated[0]) {
        refuse(row, repeated[0].name, seen.get(repeated[0].key)!);
        return [];
      }
      for (const { key } of keys) {
        seen.set(key, row.number);
        added.set(key, row.number);
      }
      return [row];
    });
    await this.imports.insertKeys(job, added);
    return unique;
  }
}

/** Returns the changes of a row, the error of `create_contact` for it, or undefined for a row without any value. */
function readRow(
  job: ContactImport,
  { cells }: NumberedRow,
  rules: ContactRules,
): ContactChanges | AppError | undefined {
  if (cells.every((cell) => cell.trim() === '')) return undefined;
  const { columns } = job;
  if (cells.slice(columns.length).some((cell) => cell.trim() !== '')) {
    return AppError.invalid(
      `The row has ${cells.length} cells, but the file has ${columns.length} columns.`,
    );
  }
  const { mapping, match_by: matchBy } = job.options!;
  try {
    const input = readContact(cells, columns, mapping, rules);
    const changes = parseChanges(parseArguments(CreateContactInput, SCHEMA, input), rules);
    const hasKey = identifiersOf(changes).some(([name]) => name === matchBy);
    return hasKey ? changes : AppError.invalidField(matchBy, 'is required for this import');
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function reasonsOf({ details, message }: AppError): string {
  if (!details?.length) return message;
  return details.map(({ path, message: fault }) => asSentence(`${path} ${fault}`.trim())).join(' ');
}

/** Returns the first 128 bits of a hash, so that rows with long identifiers need as little space as others. */
function keyOf(name: string, value: string): string {
  return createHash('sha256')
    .update(`${name} ${value}`)
    .digest('hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
