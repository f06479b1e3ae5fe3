import { startSwitchboard } from 'switchboard';
import { PURCHASE_ORDERS } from './purchase-orders.extension.js';

await startSwitchboard(PURCHASE_ORDERS);
