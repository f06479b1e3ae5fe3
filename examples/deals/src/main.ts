import { startSwitchboard } from 'switchboard';
import { DEALS } from './deals.extension.js';

await startSwitchboard(DEALS);
