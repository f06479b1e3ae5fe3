import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Task } from '../../tools/contract/task-source.js';
import { createdTask, taskStatus } from './task-encoding.js';

const NOW = new Date('2026-11-21T08:00:00.000Z');
const TASK: Task = {
  id: 'job_1',
  createdAt: new Date('2026-11-21T07:59:00.000Z'),
  changedAt: NOW,
  state: { status: 'working' },
};

describe('the encoding of tasks', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: NOW });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ['unknown', undefined, 1000],
    ['past', -5000, 1000],
    ['now', 0, 1000],
    ['soon', 1500, 1500],
    ['in a while', 59_999, 59_999],
    ['far away', 86_400_000, 60_000],
  ])('sets the poll interval from the earliest change: %s', (_case, wait, interval) => {
    const askAgainAt = wait === undefined ? undefined : new Date(NOW.getTime() + wait);
    expect(taskStatus({ ...TASK, askAgainAt })).toEqual({
      taskId: 'job_1',
      status: 'working',
      createdAt: '2026-11-21T07:59:00.000Z',
      lastUpdatedAt: '2026-11-21T08:00:00.000Z',
      ttlMs: null,
      pollIntervalMs: interval,
    });
  });

  it('adds the _meta of the result to a new task', () => {
    expect(JSON.parse(createdTask(TASK, { 'switchboard/deprecated': 'a is now b' }))).toMatchObject(
      {
        resultType: 'task',
        _meta: {
          'switchboard/deprecated': 'a is now b',
          'io.modelcontextprotocol/serverInfo': { name: 'switchboard' },
        },
      },
    );
  });
});
