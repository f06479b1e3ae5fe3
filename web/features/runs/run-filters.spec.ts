import { describe, expect, it } from 'vitest';
import { toLocalTime } from '../../ui/local-time.ts';
import { readRunFilters } from './run-filters.ts';

describe(readRunFilters, () => {
  it('keeps the filters of list_runs', () => {
    const filters = {
      status: 'failed',
      workflow_id: 'wf_1',
      trigger_type: 'webhook',
      reason: 'step_failed',
      created_after: '2030-01-31T09:00:00.000Z',
    };
    expect(readRunFilters(filters)).toEqual(filters);
  });

  it('leaves out unknown, empty and malformed filters', () => {
    const search = { status: 'lost', workflow_id: '', reason: 7, created_before: 'soon', page: 2 };
    expect(readRunFilters(search)).toEqual({});
  });
});

describe(toLocalTime, () => {
  it('converts a UTC time to local time, to the minute', () => {
    const iso = '2030-01-31T09:05:00.000Z';
    expect(new Date(toLocalTime(iso)).toISOString()).toBe(iso);
    expect(toLocalTime(undefined)).toBe('');
  });
});
