import { describe, expect, it } from 'vitest';
import { OrganizationSlots } from './organization-slots.js';

describe(OrganizationSlots, () => {
  it('refuses an organization without a free slot, until its work ends or fails', async () => {
    const slots = new OrganizationSlots(2, () => new Error('full'));
    let fail: (error: Error) => void = () => undefined;
    const failing = slots.use('a', () => new Promise<void>((_resolve, reject) => (fail = reject)));
    void slots.use('a', () => new Promise(() => undefined));
    await expect(slots.use('a', async () => 1)).rejects.toThrow('full');
    expect(await slots.use('b', async () => 1)).toBe(1);
    fail(new Error('failed'));
    await expect(failing).rejects.toThrow('failed');
    expect(await slots.use('a', async () => 2)).toBe(2);
  });
});
