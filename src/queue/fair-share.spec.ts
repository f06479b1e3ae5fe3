import { describe, expect, it } from 'vitest';
import { FairShare } from './fair-share.js';

/** Takes all slots that the organization may get, as a claim for all free slots does. Returns their number. */
function takeAll(fairShare: FairShare, organizationId: string, taken: { slots: number }): number {
  const room = fairShare.room(organizationId, fairShare.slots - taken.slots);
  for (let slot = 0; slot < room; slot += 1) fairShare.take(organizationId);
  taken.slots += room;
  return room;
}

describe(FairShare.name, () => {
  it.each([1, 2, 3, 4, 10, 100])('gives a single organization all %d slots and no more', (most) => {
    const fairShare = new FairShare(most);
    const taken = { slots: 0 };
    expect(takeAll(fairShare, 'a', taken)).toBe(most);
    expect(takeAll(fairShare, 'a', taken)).toBe(0);
  });

  it.each([1, 2, 3, 4, 10, 100])(
    'leaves a slot for a second organization when the first occupies all %d slots',
    (most) => {
      const fairShare = new FairShare(most);
      const taken = { slots: 0 };
      takeAll(fairShare, 'a', taken);
      expect(takeAll(fairShare, 'b', taken)).toBeGreaterThan(0);
    },
  );

  it.each([
    [2, [2, 1, 0, 0]],
    [4, [4, 1, 1, 0]],
    [10, [10, 4, 1, 0]],
    [100, [100, 34, 11, 4]],
  ])('divides %d slots among organizations that release none', (most, expected) => {
    const fairShare = new FairShare(most);
    const taken = { slots: 0 };
    expect(['a', 'b', 'c', 'd'].map((id) => takeAll(fairShare, id, taken))).toEqual(expected);
  });

  it('leaves free slots for every organization when slots are released and taken again', () => {
    const fairShare = new FairShare(10);
    const taken = { slots: 0 };
    takeAll(fairShare, 'a', taken);
    takeAll(fairShare, 'b', taken);
    for (let round = 0; round < 20; round += 1) {
      fairShare.release('a');
      taken.slots -= 1;
      takeAll(fairShare, 'b', taken);
      takeAll(fairShare, 'a', taken);
    }
    const { rooms } = fairShare.share(fairShare.slots - taken.slots);
    expect(Object.keys(rooms)).toEqual(['a', 'b']);
    expect(fairShare.slots - taken.slots).toBeGreaterThan(0);
    fairShare.release('a');
    fairShare.release('b');
    expect(fairShare.room('a', fairShare.slots - taken.slots + 2)).toBeGreaterThan(0);
  });

  it('recognizes a claim in which an organization got all the rows that it may get', () => {
    const share = { after: '', room: 2, rooms: { a: 1 } };
    const got = (...ids: string[]) => ids.map((organizationId) => ({ organizationId }));
    expect(FairShare.isExhausted(share, got())).toBe(false);
    expect(FairShare.isExhausted(share, got('b'))).toBe(false);
    expect(FairShare.isExhausted(share, got('a'))).toBe(true);
    expect(FairShare.isExhausted(share, got('b', 'b'))).toBe(true);
    expect(FairShare.isExhausted({ ...share, rooms: { a: 0 } }, got())).toBe(true);
  });

  it('returns the organization that got the last slot, and how many rows each organization may get', () => {
    const fairShare = new FairShare(10);
    expect(fairShare.share(15)).toEqual({ after: '', room: 10, rooms: {} });
    for (let slot = 0; slot < 10; slot += 1) fairShare.take('a');
    fairShare.take('b');
    expect(fairShare.share(4)).toEqual({ after: 'b', room: 3, rooms: { a: 0, b: 3 } });
    fairShare.release('b');
    expect(fairShare.share(5).rooms).toEqual({ a: 0 });
  });
});
