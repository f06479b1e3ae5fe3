import { AppError, toError } from '../errors/app-error.js';

/** The SQLSTATE that PostgreSQL reports when a quota is used up (private.grant_quota, private.refuse_over). */
const QUOTA_EXCEEDED = 'SB002';

const DAY_MS = 24 * 60 * 60 * 1000;
const RAISE = 'or ask the operator for a higher quota.';
/** The shortest time after which senders of webhooks and steps of workflows try again. */
const LEAST_RETRY_SECONDS = 30;

const CURES: Readonly<Record<string, string>> = {
  workflows: `Delete workflows, ${RAISE}`,
  versions: 'Ask the operator for a higher quota.',
  contacts: `Delete contacts, ${RAISE}`,
  runs: `Let set_retention delete old runs, ${RAISE}`,
  stored_bytes: `Delete contacts, let set_retention delete old runs and messages, ${RAISE}`,
};
/**
 * When one of these quotas is used up, webhooks and steps are refused too. Then the senders of webhooks, and the steps,
 * try again later.
 */
const RETRIED: ReadonlySet<string> = new Set(['runs', 'stored_bytes']);
const DAILY: ReadonlySet<string> = new Set(['messages']);

interface QuotaError {
  /** The name of the quota. */
  detail?: string;
  message?: string;
  /** The number of seconds until a measured quota is measured again. */
  hint?: string;
}

/** Returns true for the error of a call that was refused because a quota is used up. */
export function isQuotaExceeded(error: unknown): boolean {
  return error instanceof AppError && sourceOf(error.cause)?.code === QUOTA_EXCEEDED;
}

/** Returns the error for callers if a quota is used up, else undefined. */
export function quotaExceeded(thrown: unknown): AppError | undefined {
  const source = sourceOf(thrown);
  if (source?.code !== QUOTA_EXCEEDED) return undefined;
  const { detail: quota = '', message = '', hint } = source;
  const options = { cause: toError(source) };
  if (DAILY.has(quota)) {
    const now = Date.now();
    const retryAfterSeconds = Math.ceil((DAY_MS - (now % DAY_MS)) / 1000);
    const text = `${message.slice(0, -1)} a day. Wait until 00:00 UTC, ${RAISE}`;
    return new AppError('rate_limited', text, { retryAfterSeconds, ...options });
  }
  const text = `${message} ${CURES[quota] ?? ''}`;
  if (hint === undefined) return new AppError('conflict', text, options);
  const measured = `${text} What is stored is measured again in ${hint} s.`;
  if (!RETRIED.has(quota)) return new AppError('conflict', measured, options);
  const retryAfterSeconds = Math.max(LEAST_RETRY_SECONDS, Number(hint));
  return new AppError('rate_limited', measured, { retryAfterSeconds, ...options });
}

function sourceOf(thrown: unknown): (QuotaError & { code?: string }) | undefined {
  const wrapped = (thrown as { driverError?: QuotaError } | null | undefined)?.driverError;
  return wrapped ?? (thrown as QuotaError | undefined);
}
