import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';

const DRAIN_MS = 20_000;

/** Knows whether the process is on its way out, so that readiness says so, and bounds how long that may take. */
@Injectable()
export class Shutdown implements BeforeApplicationShutdown {
  isStopping = false;

  constructor(private readonly adapters: HttpAdapterHost) {}

  beforeApplicationShutdown(): void {
    this.isStopping = true;
    // A client that sends its body one byte a minute must not keep the process from ending.
    const server = this.adapters.httpAdapter?.getHttpServer() as Server | undefined;
    setTimeout(() => server?.closeAllConnections(), DRAIN_MS).unref();
  }
}

const HARD_STOP_MS = 25_000;

/**
 * Calls `stop` once, at SIGTERM or Ctrl-C, and ends the process with code 0 when it is done, or with 1 when it takes
 * longer than 25 s. A second signal ends the process at once: a person pressed Ctrl-C again.
 */
export function onStopSignal(say: (line: string) => void, stop: () => Promise<void>): void {
  let stopping = false;
  const handle = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    say(`\n${signal} received: finishing what is running ...`);
    setTimeout(() => {
      process.stderr.write('Stopping took too long; the rest is taken up at the next start.\n');
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
