import type { Extensions } from 'switchboard';
import { CreatePurchaseOrders1767225600000 } from '../migrations/1767225600000-create-purchase-orders.js';
import { PurchaseOrder } from './purchase-order.entity.js';
import { PurchaseOrdersModule } from './purchase-orders.module.js';

/** Everything that the team adds. The program and its tests both start Switchboard with this object. */
export const PURCHASE_ORDERS: Extensions = {
  modules: [PurchaseOrdersModule],
  entities: [PurchaseOrder],
  migrations: [CreatePurchaseOrders1767225600000],
};
