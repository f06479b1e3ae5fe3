import { describe, expect, it } from 'vitest';
import { NO_FIELDS, type ContactFields } from './contact-fields.js';
import {
  identifiersOf,
  type MergeUndo,
  planMerge,
  restoreMerged,
  revertSurvivor,
  strictest,
} from './contact-merge.js';

const contact = (fields: Partial<ContactFields> = {}): ContactFields => ({
  ...NO_FIELDS,
  email: 'a@example.com',
  ...fields,
});
const undoOf = (before: ContactFields, merged: ContactFields): MergeUndo => {
  const { fields: after, aliases } = planMerge(before, merged);
  return { before, after, aliases, merged: { ...merged, createdAt: '2026-01-01T00:00:00.000Z' } };
};

describe(planMerge.name, () => {
  it('makes an alias from each identifier that the survivor does not take over', () => {
    const other = contact({ email: 'b@example.com', phone: '+4930123456', externalId: 'x' });
    const { fields, aliases } = planMerge(contact({ externalId: 'y' }), other);
    expect(fields).toMatchObject({ email: 'a@example.com', phone: '+4930123456', externalId: 'y' });
    expect(aliases).toEqual([
      { kind: 'external_id', value: 'x' },
      { kind: 'email', value: 'b@example.com' },
    ]);
  });

  it('takes over a property of the merged contact even if every object has a member of this name, such as toString', () => {
    const { fields, values } = planMerge(contact(), contact({ properties: { toString: 'x' } }));
    expect(Object.hasOwn(fields.properties, 'toString')).toBe(true);
    expect(values).toContainEqual({
      field: 'properties.toString',
      value: 'x',
      from: 'merged',
      other: null,
    });
  });

  it('does not list values that are equal', () => {
    const same = { firstName: 'Ada', properties: { seats: 5 }, tags: ['vip'] };
    expect(planMerge(contact(same), contact({ ...same, email: null })).values).toEqual([]);
  });
});

describe(revertSurvivor.name, () => {
  it('returns the contact as it was before the merge, if nothing has changed after the merge', () => {
    const before = contact({ tags: ['a'], properties: { plan: 'pro' } });
    const merged = contact({
      email: 'b@example.com',
      firstName: 'Ada',
      tags: ['b'],
      properties: { city: 'x' },
    });
    const undo = undoOf(before, merged);
    expect(revertSurvivor(undo.after, undo)).toEqual(before);
  });

  it('refuses to leave a contact without an identifier', () => {
    const undo = undoOf(contact(), contact({ email: null, phone: '+4930123456' }));
    const current = { ...undo.after, email: null };
    expect(() => revertSurvivor(current, undo)).toThrow('no identifier');
  });
});

describe(restoreMerged.name, () => {
  it('leaves out identifiers that another contact has, and refuses when no identifier is left', () => {
    const merged = contact({ email: 'b@example.com', externalId: 'x' });
    const undo = undoOf(contact(), merged);
    const restored = restoreMerged(undo.after, undo, ['email']);
    expect(identifiersOf(restored)).toEqual([{ kind: 'external_id', value: 'x' }]);
    expect(() => restoreMerged(undo.after, undo, ['email', 'external_id'])).toThrow(
      'no identifier',
    );
  });
});

describe(strictest.name, () => {
  const state = (status: 'granted' | 'denied', source: string) => ({
    status,
    source,
    updated_at: '2026-01-01T00:00:00.000Z',
  });

  it('keeps the first of two equal decisions, and decides each channel separately', () => {
    const first = { email: state('denied', 'agent'), sms: state('granted', 'agent') };
    const second = { email: state('denied', 'workflow'), webhook: state('denied', 'workflow') };
    expect(strictest(first, second)).toEqual({ ...first, webhook: second.webhook });
  });
});
