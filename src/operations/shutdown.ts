import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';

/** Knows whether the process is on its way out, so that readiness says so first. */
@Injectable()
export class Shutdown implements BeforeApplicationShutdown {
  isStopping = false;

  beforeApplicationShutdown(): void {
    this.isStopping = true;
  }
}
