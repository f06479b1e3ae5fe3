import type { QueueOptions } from 'bull';

// ioredis is Bull's dependency, so its types are reached through Bull's.
type RedisOptions = Exclude<QueueOptions['redis'], string | undefined>;

const CONNECT_MS = 5000;
const LONGEST_RETRY_MS = 2000;

/** Connection options for `redis://` and `rediss://` addresses. */
export function redisOptions(redisUrl: string): RedisOptions {
  const url = new URL(redisUrl);
  const db = Number(url.pathname.slice(1));
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 6379 : Number(url.port),
    ...(url.username !== '' && { username: decodeURIComponent(url.username) }),
    ...(url.password !== '' && { password: decodeURIComponent(url.password) }),
    ...(Number.isInteger(db) && { db }),
    ...(url.protocol === 'rediss:' && { tls: { servername: url.hostname } }),
    connectTimeout: CONNECT_MS,
    // Bull's processor must outlive an outage of any length; a limit would end it for good after a few seconds.
    maxRetriesPerRequest: null,
    enableReadyCheck: false,
    retryStrategy: (times) => Math.min(times * 100, LONGEST_RETRY_MS),
  };
}
