import { Controller, Get, HttpCode, Res } from '@nestjs/common';
import type { Response } from 'express';
import { GateDatabase } from '../database/gate-database.js';
import { Shutdown } from './shutdown.js';

/** The time in milliseconds in which probes share a look-up. */
const SHARED_MS = 1000;

interface Health {
  status: 'ok' | 'unavailable';
  failing?: string[];
}

/** Reports to load balancers and orchestrators whether the process is alive and can serve requests. */
@Controller('health')
export class HealthController {
  /** The newest look-up. Probes within a second share it, so that strangers cannot fill the queue of the gate. */
  private lookUp?: { readonly beganAt: number; readonly succeeds: Promise<boolean> };

  constructor(
    private readonly gate: GateDatabase,
    private readonly shutdown: Shutdown,
  ) {}

  @Get('live')
  live(): Health {
    return { status: 'ok' };
  }

  @Get('ready')
  @HttpCode(200)
  async ready(@Res({ passthrough: true }) response: Response): Promise<Health> {
    const failing: string[] = [];
    if (this.shutdown.isStopping) failing.push('stopping');
    // Redis is not checked. Without it, wake-ups are late, but all accepted work is still done.
    if (!(await this.reachesDatabase())) failing.push('database');
    if (failing.length === 0) return { status: 'ok' };
    response.status(503);
    return { status: 'unavailable', failing };
  }

  private async reachesDatabase(): Promise<boolean> {
    const now = performance.now();
    if (!this.lookUp || now - this.lookUp.beganAt > SHARED_MS) {
      const answer = this.gate.call('has_accounts', []);
      const succeeds = answer.then(
        () => true,
        () => false,
      );
      this.lookUp = { beganAt: now, succeeds };
    }
    return await this.lookUp.succeeds;
  }
}
