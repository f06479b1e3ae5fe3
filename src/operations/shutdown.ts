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
