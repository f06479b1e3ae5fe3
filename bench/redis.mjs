// Starts a Redis server for the contestants that need Redis, or uses the server of REDIS_URL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Redis from 'ioredis';

/**
 * Starts Redis. This Redis writes to disk before each response, because the databases of the other contestants write to
 * disk before a commit succeeds.
 */
export async function startRedis() {
  const given = process.env.REDIS_URL;
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-redis-'));
  const port = await freePort();
  const url = given ?? `redis://127.0.0.1:${port}`;
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
  const child = given
    ? undefined
    : spawn(
        'redis-server',
        ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, ...durable],
        { stdio: 'ignore' },
      );
  if (child) await Promise.race([once(child, 'spawn'), failure(child)]);
  const client = new Redis(url, { maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  await client.ping();
  return {
    url,
    client,
    stop: async () => {
      client.disconnect();
      if (child) {
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        await Promise.race([exited, sleep(5000)]);
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function failure(child) {
  const [error] = await once(child, 'error');
  throw new Error(
    `redis-server could not be started. Install it or set REDIS_URL. ${error.message}`,
  );
}

/** Returns a port of loopback that nothing listens on. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
