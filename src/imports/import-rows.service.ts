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
import { canonicalJson } from '../text/canonical-json.js';
import { storable } from '../text/storable.js';
import { classSchema } from '../tools/schema/class-schema.js';
import { parseArguments } from '../tools/schema/parse-arguments.js';
import type { ContactImport } from './import.entity.js';
import { type ImportCounts, ImportsRepository, type NewFault } from './imports.repository.js';
import { readContact } from './read-contact.js';

const SCHEMA = classSchema(CreateContactInput);
/** The number of rows that are read without a pause. Other work of the process waits meanwhile. */
const ROWS_AT_ONCE = 50;
/**
 * The largest number of rejected rows that an import stores. Without this limit, a file of very short rows that are all
 * wrong would occupy more than a hundred times its size.
 */
const MOST_STORED_FAULTS = 100_000;

/** A row of a file, with its number. The row with the names of the columns is row 1. */
export interface NumberedRow {
  readonly number: number;
  readonly cells: readonly string[];
}

interface ValidRow extends NumberedRow {
  readonly changes: ContactChanges;
}

/**
 * Rows of an import, converted to changes of contacts by the rules that the organization had when the rows were read.
 */
export interface ReadRows {
  readonly rules: ContactRules;
  readonly given: readonly NumberedRow[];
  readonly valid: readonly ValidRow[];
  readonly faults: readonly NewFault[];
  readonly skipped: number;
}

/** Reads rows of an import, and writes their contacts in the transaction of the caller. */
@Injectable()
export class ImportRowsService {
  constructor(
    private readonly rules: ContactRulesService,
    private readonly contacts: ContactBatchesService,
    private readonly imports: ImportsRepository,
  ) {}

  /** Checks the rows by these rules. It reads no data, so it needs no transaction. */
  async read(
    job: ContactImport,
    given: readonly NumberedRow[],
    rules: ContactRules,
  ): Promise<ReadRows> {
    const valid: ValidRow[] = [];
    const faults: NewFault[] = [];
    let skipped = 0;
    for (const [index, row] of given.entries()) {
      if (index % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await yieldToOthers();
      const changes = readRow(job, row, rules);
      if (changes instanceof AppError) faults.push(faultOf(row, reasonsOf(changes)));
      else if (changes) valid.push({ ...row, changes });
      else skipped += 1;
    }
    return { rules, given, valid, faults, skipped };
  }

  /**
   * Writes the contacts of the rows. Stores the first rows that were not imported, with the reasons. Returns the number
   * of rows for each outcome.
   */
  async write(job: ContactImport, read: ReadRows): Promise<ImportCounts> {
    // The rules may have changed since the rows were read. From here on, they cannot change before the transaction
    // ends.
    const rules = await this.rules.keep(job.organizationId);
    const {
      valid,
      faults: found,
      skipped,
    } = sameRules(rules, read.rules) ? read : await this.read(job, read.given, rules);
    const faults = [...found];
    const counts = {
      created: 0,
      updated: 0,
      unchanged: 0,
      skipped,
      duplicate: 0,
      failed: found.length,
    };
    const reject = (row: NumberedRow, reasons: string): void =>
      void faults.push(faultOf(row, reasons));
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
    await this.imports.insertFaults(job, storedFaultsOf(job, faults));
    return counts;
  }

  /**
   * Returns the rows that share no identifier with an earlier row of the file. Calls `refuse` for each other
   * row.
   *
   * Stores the identifier by which the import finds contacts, so that later parts of the file can be checked. The other
   * identifiers are not stored. The contacts of this part are saved before the next part is checked. So a later row with
   * the same identifier conflicts with a saved contact. A dry run stores no contacts. So it stores all identifiers.
   */
  private async withoutRepeated(
    job: ContactImport,
    rows: readonly ValidRow[],
    refuse: (row: ValidRow, identifier: string, first: number) => void,
  ): Promise<ValidRow[]> {
    const { match_by: matchBy, dry_run: isDryRun } = job.options!;
    const keyed = rows.map((row) => {
      const identifiers = identifiersOf(row.changes).map(([name, value]) => {
        const isKept = isDryRun || name === matchBy;
        return { name, isKept, key: isKept ? keyOf(name, value) : `${name} ${value}` };
      });
      return { row, identifiers };
    });
    const kept = keyed.flatMap(({ identifiers }) => identifiers.filter(({ isKept }) => isKept));
    const seen = await this.imports.findKeys(
      job,
      kept.map(({ key }) => key),
    );
    const added = new Map<string, number>();
    const unique = keyed.flatMap(({ row, identifiers }) => {
      const repeated = identifiers
        .filter(({ key }) => seen.has(key))
        .sort((a) => (a.name === matchBy ? -1 : 1));
      if (repeated[0]) {
        refuse(row, repeated[0].name, seen.get(repeated[0].key)!);
        return [];
      }
      for (const { key, isKept } of identifiers) {
        seen.set(key, row.number);
        if (isKept) added.set(key, row.number);
      }
      return [row];
    });
    await this.imports.insertKeys(job, added);
    return unique;
  }
}

/** Returns the first of the faults of a part, in the order of the file, as many as the import may still store. */
function storedFaultsOf(job: ContactImport, faults: NewFault[]): NewFault[] {
  const room = MOST_STORED_FAULTS - job.failed - job.duplicate;
  return faults.sort((a, b) => a.row - b.row).slice(0, Math.max(0, room));
}

function faultOf({ number, cells }: NumberedRow, reasons: string): NewFault {
  return { row: number, cells: JSON.stringify(cells), reasons: storable(reasons) };
}

/** Returns true when both sets of rules read rows in the same way. */
function sameRules(one: ContactRules, other: ContactRules): boolean {
  const text = ({ region, strictProperties, properties }: ContactRules): string =>
    canonicalJson([region, strictProperties, [...properties]]);
  return text(one) === text(other);
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
