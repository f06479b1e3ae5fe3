import type { Extensions } from 'switchboard';
import { CreateDeals1767225600000 } from '../migrations/1767225600000-create-deals.js';
import { Deal } from './deal.entity.js';
import { DealsModule } from './deals.module.js';

/** Has everything that the team adds. The program and its tests both start with it. */
export const DEALS: Extensions = {
  modules: [DealsModule],
  entities: [Deal],
  migrations: [CreateDeals1767225600000],
};
