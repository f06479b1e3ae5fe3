import { Controller, Get, HttpCode, Res } from '@nestjs/common';
import type { Response } from 'express';
import { GateDatabase } from '../database/gate-database.js';
import { Shutdown } from './shutdown.js';

interface Health {
  status: 'ok' | 'unavailable';
  failing?: string[];
}

/** Reports to load balancers and orchestrators whether the process is alive and can serve requests. */
@Controller('health')
export class HealthController {
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
    await this.gate.call('has_accounts', []).catch(() => failing.push('database'));
    if (failing.length === 0) return { status: 'ok' };
    response.status(503);
    return { status: 'unavailable', failing };
  }
}
