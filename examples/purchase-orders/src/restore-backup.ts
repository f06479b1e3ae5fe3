import { restoreBackup } from 'switchboard';
import { PURCHASE_ORDERS } from './purchase-orders.extension.js';

await restoreBackup(PURCHASE_ORDERS);
