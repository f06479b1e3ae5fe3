import { checkWorkflows } from 'switchboard';
import { PURCHASE_ORDERS } from './purchase-orders.extension.js';

await checkWorkflows(PURCHASE_ORDERS);
