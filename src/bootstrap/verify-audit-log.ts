import 'reflect-metadata';
import { AuditVerifier } from '../audit/audit-verifier.js';
import { loadProcessEnv } from './load-process-env.js';
import { sqlState } from '../database/database-error.js';
import { toError } from '../errors/app-error.js';
import { withOwner } from './owner-connection.js';

const UNDEFINED_TABLE = '42P01';
const HEAD = /^head (\S+) (\d+) ([0-9a-f]{64})$/gm;

/**
 * Checks the chains of all audit logs and prints their ends. `earlier` is the output of an earlier run. The exit code is
 * 1 when something was changed, removed or inserted, and 2 when the command failed.
 */
export async function verifyAuditLog(earlier: string): Promise<void> {
  const kept = [...earlier.matchAll(HEAD)].map(([, organizationId, position, hash]) => ({
    organizationId: organizationId!,
    position: BigInt(position!),
    hash: hash!,
  }));
  try {
    await withOwner(loadProcessEnv(), async (client) => {
      const { heads, faults, entries, waiting } = await new AuditVerifier(client).verify(kept);
      for (const { organizationId, position, hash } of heads) {
        say(`head ${organizationId} ${position} ${hash}`);
      }
      for (const fault of faults) say(`FAULT ${fault}`);
      say(
        `${entries} entries of ${heads.length} organizations were checked, and ${kept.length} earlier ends. ` +
          `${waiting} new entries are not chained yet. ${faults.length} faults.`,
      );
      if (faults.length > 0) process.exitCode = 1;
    });
  } catch (error) {
    // Switchboard never ran on this database.
    if (sqlState(error) === UNDEFINED_TABLE) return;
    process.stderr.write(`The audit log could not be checked: ${toError(error).message}\n`);
    process.exitCode = 2;
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
