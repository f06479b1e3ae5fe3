import { prepared } from '../database/driver/statement.js';
import type { TenantSession } from '../database/transactions/tenant-session.js';

const SET = prepared(
  'consent_origin',
  `select set_config('switchboard.consent_source', $1, true), set_config('switchboard.consent_evidence', $2, true)`,
);

/**
 * Runs `work`. For the changes that `work` makes, the log of consent names `source`, and not the source that is
 * stored with the decision. Call it in a transaction of the session.
 */
export async function withConsentOrigin<T>(
  session: TenantSession,
  source: string,
  evidence: object | undefined,
  work: () => Promise<T>,
): Promise<T> {
  session.defer(SET, [source, evidence ? JSON.stringify(evidence) : '']);
  // When `work` throws, nothing is reset here, because the caller then rolls back to its savepoint or ends its
  // transaction. Both restore the settings.
  const result = await work();
  session.defer(SET, ['', '']);
  return result;
}
