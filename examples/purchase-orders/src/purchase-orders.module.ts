import { Module } from '@nestjs/common';
import { ContactsModule } from 'switchboard';
import { PurchaseOrderTools } from './purchase-order.tools.js';
import { PurchaseOrdersRepository } from './purchase-orders.repository.js';
import { PurchaseOrdersService } from './purchase-orders.service.js';

@Module({
  imports: [ContactsModule],
  providers: [PurchaseOrderTools, PurchaseOrdersService, PurchaseOrdersRepository],
})
export class PurchaseOrdersModule {}
