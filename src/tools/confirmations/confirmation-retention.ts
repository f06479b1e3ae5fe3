import { Injectable } from '@nestjs/common';
import { Env } from '../../config/env.js';
import { GateDatabase } from '../../database/gate-database.js';
import { HourlyPurge } from '../hourly-purge.js';

export const KEEP_DAYS = 30;

/** Deletes confirmations 30 days after they expired, and unanswered confirmations one day after they expired. */
@Injectable()
export class ConfirmationRetention extends HourlyPurge {
  constructor(env: Env, gate: GateDatabase) {
    super(env, gate, 'purge_confirmations', KEEP_DAYS);
  }
}
