import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Names {
  faultOf: (
    name: string,
    taken: { packages: string[]; tables: string[]; words: Set<string> },
  ) => string | undefined;
  rename: (text: string, name: string) => string;
}

const path = resolve(import.meta.dirname, '../../scripts/new-module/module-names.mjs');
const { faultOf, rename } = (await import(pathToFileURL(path).href)) as Names;

describe('the name of a module', () => {
  const taken = {
    packages: ['typeorm', 'switchboard'],
    tables: ['contacts', 'workflow_steps'],
    words: new Set(['input', 'Column', 'next_cursor']),
  };

  it.each(['my-module', 'invoices', 'status', 'news-items', 'a2', 'x', 'order-2026'])(
    'can be %s',
    (name) => {
      expect(faultOf(name, taken)).toBeUndefined();
    },
  );

  it.each([
    ['My-Module', 'use lowercase words'],
    ['my_module', 'use lowercase words'],
    ['my module', 'use lowercase words'],
    ['@team/orders', 'use lowercase words'],
    ['../orders', 'use lowercase words'],
    ['2orders', 'use lowercase words'],
    ['orders-', 'use lowercase words'],
    ['örders', 'use lowercase words'],
    ['', 'use lowercase words'],
    ['http', 'a name of Node.js'],
    ['node-modules', 'a name of Node.js'],
    ['typeorm', 'a package that the module needs'],
    ['switchboard', 'a package that the module needs'],
    ['contacts', 'a table called contacts'],
    ['contact', 'a table called contacts'],
    ['workflow-step', 'a table called workflow_steps'],
    ['inputs', 'would be called input in the code'],
    ['columns', 'would be called Column in the code'],
    ['next-cursors', 'would be called next_cursor in the code'],
    ['classes', 'would be called class in the code'],
    ['dates', 'would be called Date in the code'],
    ['strings', 'would be called String in the code'],
    ['toString', 'use lowercase words'],
    ['constructor', 'would be called constructor in the code'],
    ['orders-of-the-department-of-sales', 'a table may have 32 characters'],
  ])('cannot be %s, for a reason in one sentence', (name, reason) => {
    const fault = faultOf(name, taken);
    expect(fault).toContain(reason);
    expect(fault).toMatch(/^[^\n]*[^.]\.$/);
  });

  it('is written in the form that each place of the code needs', () => {
    const template = [
      'purchase-order.entity.ts purchase_orders_pkey PurchaseOrderView purchaseOrders.list',
      'PURCHASE_ORDERS Purchase orders: Records a purchase order',
    ].join(' ');
    expect(rename(template, 'my-modules')).toBe(
      'my-module.entity.ts my_modules_pkey MyModuleView myModules.list MY_MODULES My modules: Records a my module',
    );
    expect(rename(template, 'entries')).toBe(
      'entry.entity.ts entries_pkey EntryView entries.list ENTRIES Entries: Records an entry',
    );
    expect(rename('purchase_order purchase_orders', 'status')).toBe('status statuses');
    expect(rename(template, 'purchase-orders')).toBe(template);
  });
});
