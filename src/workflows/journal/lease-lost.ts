import { sqlState } from '../../database/database-error.js';

/** Another worker holds the run now, or it was canceled: whoever meets this stops quietly and writes nothing more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor() {
    super('The lease of the run is lost.');
  }
}

const NOT_HELD = 'SB001';
const UNIQUE_VIOLATION = '23505';

/** Makes a statement that returns a row only to the holder of the run fail for all others, on the server. */
export function onlyHeld(statement: string): string {
  return `with held as (${statement}) select assert_held(count(*)) from held`;
}

/** What its failure means, and that of a row of the journal which somebody else has written. */
export function asLeaseLost(error: Error): LeaseLost | undefined {
  const code = sqlState(error);
  return code === NOT_HELD || code === UNIQUE_VIOLATION ? new LeaseLost() : undefined;
}
