import type { IncomingMessage } from 'node:http';

/** The time in milliseconds for which a look-up of a key, a session or a webhook is trusted. */
export const TRUSTED_MS = 100;

/** The key or the session of a request, and how it is looked up again. */
interface Access {
  /** The time of `performance.now()` immediately before the look-up. */
  lookedUpAt: number;
  /** Looks the key or the session up again, for later readers of the request. Throws when it has ended. */
  readonly renew: () => Promise<void>;
  /** Checks what the caller may do, with the result of the look-up. Each check throws to refuse the request. */
  readonly checks: (() => void)[];
}

const ACCESS = Symbol('access');

interface KnownRequest extends IncomingMessage {
  [ACCESS]?: Access;
}

/** Returns true when a look-up is so old that a key or a session may have ended since then. */
export function isOutdated(lookedUpAt: number): boolean {
  return performance.now() - lookedUpAt > TRUSTED_MS;
}

/**
 * Records how {@link renewAccess} looks up the key or the session of a request. A later call replaces an earlier one.
 */
export function recordAccess(
  request: KnownRequest,
  lookedUpAt: number,
  renew: () => Promise<void>,
): void {
  // A property costs less than an entry in a WeakMap.
  request[ACCESS] = { lookedUpAt, renew, checks: [] };
}

/** Runs `check` now, and again after each time that the key or the session was looked up again. */
export function checkAccess<Result>(request: KnownRequest, check: () => Result): Result {
  request[ACCESS]?.checks.push(check);
  return check();
}

/**
 * Looks up the key or the session of a request again, when the last look-up is too old. Throws when it has ended, and
 * when a check of {@link checkAccess} fails. The readers of bodies call this function after the last byte. Without it,
 * a sender could hold a request open, and the request would still act after its key was revoked. A request whose body
 * arrives with its headers costs no additional query.
 */
export async function renewAccess(request: KnownRequest): Promise<void> {
  const access = request[ACCESS];
  if (!access || !isOutdated(access.lookedUpAt)) return;
  const now = performance.now();
  await access.renew();
  access.lookedUpAt = now;
  for (const check of access.checks) check();
}
