import { describe, expect, it } from 'vitest';
import { toLocalTime } from '../../ui/local-time.ts';
import { readRunFilters } from './run-filters.ts';

describe(readRunFilters, () => {
  it('keeps what list_runs knows', () => {
    const filters = {
      status: 'failed',
      workflow_id: 'wf_1',
      trigger_type: 'webhook',
      reason: 'step_failed',
      created_after: '2030-01-31T09:00:00.000Z',
    };
    expect(readRunFilters(filters)).toEqual(filters);
  });

  it('leaves out what is unknown, empty or malformed', () => {
    const search = { status: 'lost', workflow_id: '', reason: 7, created_before: 'soon', page: 2 };
    expect(readRunFilters(search)).toEqual({});
  });
});

describe(toLocalTime, () => {
  it('gives a time that reads back as the same minute', () => {
    const iso = '2030-01-31T09:05:00.000Z';
    expect(new Date(toLocalTime(iso)).toISOString()).toBe(iso);
    expect(toLocalTime(undefined)).toBe('');
  });
});
