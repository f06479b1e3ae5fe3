import { describe, expect, it } from 'vitest';
import { readAuditFilters, toArguments } from './audit-filters.ts';

describe(readAuditFilters, () => {
  it('keeps known filters, and drops days that do not exist', () => {
    const search = { action: 'sign_in', from: '2030-02-01', until: '2030-13-01', other: 'x' };
    expect(readAuditFilters(search)).toEqual({ action: 'sign_in', from: '2030-02-01' });
  });

  it('reads an id of digits as a text', () => {
    expect(readAuditFilters({ subject: 17, caller_id: '' })).toEqual({ subject: '17' });
  });
});

describe(toArguments, () => {
  it('includes the complete last day', () => {
    const { from, until } = toArguments({ from: '2030-01-31', until: '2030-01-31' });
    expect(Date.parse(until ?? '') - Date.parse(from ?? '')).toBe(24 * 60 * 60 * 1000);
  });
});
