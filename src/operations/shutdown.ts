import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import { closeUnusedConnections } from '../http/unused-connections.js';

const DRAIN_MS = 20_000;

/** Reports to the readiness check that the process is stopping, and closes connections that do not end by themselves. */
@Injectable()
export class Shutdown implements BeforeApplicationShutdown {
  isStopping = false;

  constructor(private readonly adapters: HttpAdapterHost) {}

  beforeApplicationShutdown(): void {
    this.isStopping = true;
    // Without this timer, a client that sends one byte a minute would keep the process alive.
    const server = this.adapters.httpAdapter?.getHttpServer() as Server | undefined;
    setTimeout(() => server?.closeAllConnections(), DRAIN_MS).unref();
    if (server) closeUnusedConnections(server);
  }
}

const HARD_STOP_MS = 25_000;

/**
 * Calls `stop` at SIGTERM or Ctrl-C. Then ends the process with code 0, or with code 1 when `stop` fails or takes
 * longer than 25 s. A second signal ends the process immediately.
 */
export function onStopSignal(say: (line: string) => void, stop: () => Promise<void>): void {
  let stopping = false;
  const handle = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    say(`\n${signal} received: finishing current work ...`);
    setTimeout(() => {
      process.stderr.write(
        'Stopping took too long. The next start continues the unfinished work.\n',
      );
      process.exit(1);
    }, HARD_STOP_MS).unref();
    stop().then(
      () => {
        say('Stopped.');
        process.exit(0);
      },
      (error: Error) => {
        process.stderr.write(`Stopping failed: ${error.stack}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
}
