import { describe, expect, it, vi } from 'vitest';
import { wakeDueRuns } from './wake-due-runs.js';

describe(wakeDueRuns.name, () => {
  it('ends after 100 batches although each batch is full', async () => {
    const wake = vi.fn(async () => 500);
    await wakeDueRuns(wake);
    expect(wake).toHaveBeenCalledTimes(100);
  });

  it('ends after the first batch that is not full', async () => {
    const wake = vi
      .fn(async () => 499)
      .mockResolvedValueOnce(500)
      .mockResolvedValueOnce(503);
    await wakeDueRuns(wake);
    expect(wake).toHaveBeenCalledTimes(3);
  });
});
