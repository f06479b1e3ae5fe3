import { prepared } from '../database/driver/statement.js';
import type { TenantSession } from '../database/transactions/tenant-session.js';

const SET = prepared(
  'consent_origin',
  `select set_config('switchboard.consent_source', $1, true), set_config('switchboard.consent_evidence', $2, true)`,
);

/**
 * Runs `work`. For the changes of `work`, the log of consent names this source in place of the stored source of a
 * decision. Call it in a transaction of the session.
 */
export async function withConsentOrigin<T>(
  session: TenantSession,
  source: string,
  evidence: object | undefined,
  work: () => Promise<T>,
): Promise<T> {
  session.defer(SET, [source, evidence ? JSON.stringify(evidence) : '']);
  // After a throw nothing is reset: the caller rolls back, and the settings return with its savepoint or transaction.
  const result = await work();
  session.defer(SET, ['', '']);
  return result;
}
