import { Injectable } from '@nestjs/common';
import { Env } from '../config/env.js';
import { GateDatabase } from '../database/gate-database.js';
import { HourlyPurge } from '../tools/hourly-purge.js';

export const UNDO_DAYS = 30;

/** After 30 days, removes the data that can undo a merge of contacts. The ids of the merged contacts stay usable. */
@Injectable()
export class ContactMergeRetention extends HourlyPurge {
  constructor(env: Env, gate: GateDatabase) {
    super(env, gate, 'purge_contact_merges', UNDO_DAYS);
  }
}
