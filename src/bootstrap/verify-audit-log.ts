import 'reflect-metadata';
import { readFile } from 'node:fs/promises';
import { AuditVerifier, type ChainDay, type ChainHead } from '../audit/audit-verifier.js';
import { sqlState } from '../database/database-error.js';
import { toError } from '../errors/app-error.js';
import { loadProcessEnv } from './load-process-env.js';
import { withOwner } from './owner-connection.js';

const UNDEFINED_TABLE = '42P01';
const HEAD = /^head (\S+) (\d+) ([0-9a-f]{64})$/gm;
const DAY = /^day (\S+) (\d+) (\d{4}-\d\d-\d\d)$/gm;

/** The output of an earlier run, or of several earlier runs. */
interface KeptOutput {
  readonly heads: readonly ChainHead[];
  /** Empty for the output of a version that printed no days. */
  readonly days: readonly ChainDay[];
}

/**
 * Checks the chains of all audit logs and prints their ends and days. `file` has the output of an earlier run. The exit
 * code is 1 when something was changed, removed or inserted, and 2 when nothing could be checked. It is never 0 without
 * a check.
 */
export async function verifyAuditLog(file?: string): Promise<void> {
  let kept: KeptOutput;
  try {
    kept = file === undefined ? { heads: [], days: [] } : await readOutput(file);
  } catch (error) {
    fail(`${toError(error).message}\nGive the file with the output of an earlier run, or no file.`);
    return;
  }
  try {
    const hasDatabase = await withOwner(loadProcessEnv(), async (client) => {
      const verifier = new AuditVerifier(client);
      const { heads, days, faults, entries, waiting } = await verifier.verify(
        kept.heads,
        kept.days,
      );
      for (const { organizationId, position, hash } of heads) {
        say(`head ${organizationId} ${position} ${hash}`);
      }
      for (const { organizationId, position, day } of days) {
        say(`day ${organizationId} ${position} ${day}`);
      }
      for (const fault of faults) say(`FAULT ${fault}`);
      say(
        `${entries} entries of ${heads.length} organizations were checked, and ${kept.heads.length} earlier ends. ` +
          `${waiting} new entries are not chained yet. ${faults.length} faults.`,
      );
      if (faults.length > 0) process.exitCode = 1;
    });
    if (!hasDatabase) throw new Error('There is no database in DATA_DIR.');
  } catch (error) {
    fail(
      `${reasonOf(error)}\nSet DATABASE_URL, or DATA_DIR with the embedded PostgreSQL, to the values of the running ` +
        'service. The user must be the owner of the database.',
    );
  }
}

async function readOutput(file: string): Promise<KeptOutput> {
  const earlier = await readFile(file, 'utf8');
  const heads = [...earlier.matchAll(HEAD)].map(([, organizationId, position, hash]) => ({
    organizationId: organizationId!,
    position: BigInt(position!),
    hash: hash!,
  }));
  // Without this error, a check with a wrong file would look like a check without faults.
  if (heads.length === 0) throw new Error(`${file} has no line that begins with "head".`);
  const days = [...earlier.matchAll(DAY)].map(([, organizationId, position, day]) => ({
    organizationId: organizationId!,
    position: BigInt(position!),
    day: day!,
  }));
  return { heads, days };
}

function reasonOf(error: unknown): string {
  const isMissing = sqlState(error) === UNDEFINED_TABLE;
  const { message } = toError(error);
  // An attacker who dropped a table must not make the check pass.
  return isMissing ? `The database has no audit log of Switchboard (${message}).` : message;
}

function fail(reason: string): void {
  process.stderr.write(`The audit log could not be checked: ${reason}\n`);
  process.exitCode = 2;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
