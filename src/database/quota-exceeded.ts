import { AppError } from '../errors/app-error.js';

/** PostgreSQL reports this SQLSTATE when a quota is used up (private.grant_quota). */
export const QUOTA_EXCEEDED = 'SB002';

const DAY_MS = 24 * 60 * 60 * 1000;
const RAISE = 'or ask the operator for a higher quota.';

const CURES: Readonly<Record<string, string>> = {
  workflows: `Delete workflows, ${RAISE}`,
};
const DAILY: ReadonlySet<string> = new Set(['messages']);

/** Returns the error for callers. `source` is the error of PostgreSQL: its detail is the name of the quota. */
export function quotaExceeded(source: unknown): AppError {
  const { detail: quota = '', message = '' } = source as { detail?: string; message?: string };
  if (!DAILY.has(quota)) {
    const cure = CURES[quota] ?? 'Ask the operator for a higher quota.';
    return new AppError('conflict', `${message} ${cure}`, { cause: source });
  }
  const now = Date.now();
  const retryAfterSeconds = Math.ceil((DAY_MS - (now % DAY_MS)) / 1000);
  const text = `${message.slice(0, -1)} a day. Wait until 00:00 UTC, ${RAISE}`;
  return new AppError('rate_limited', text, { retryAfterSeconds, cause: source });
}
