import { describe, expect, it } from 'vitest';
import { readMessageFilters } from './message-filters.js';

describe('readMessageFilters', () => {
  it('keeps known filters and leaves out the rest', () => {
    const known = {
      status: 'undelivered',
      channel: 'sms',
      contact_id: 'con_1',
      created_after: '2026-01-01T00:00:00.000Z',
    };
    expect(readMessageFilters({ ...known, other: 1 })).toEqual(known);
    expect(readMessageFilters({ channel: 'pager' })).toEqual({ channel: 'pager' });
    expect(readMessageFilters({ channel: 'No channel' })).toEqual({});
    expect(
      readMessageFilters({ status: 'lost', channel: 1, contact_id: '', created_before: 'soon' }),
    ).toEqual({});
  });
});
