import { describe, expect, it } from 'vitest';
import { withoutFaults } from './usable-fields.js';

describe(withoutFaults, () => {
  const fault = (path: string) => ({ path, message: 'is bad' });
  const given = {
    email: 'a@example.com',
    phone: '1',
    tags: ['a', '', 'b', ''],
    properties: { plan: 'pro', 'a.b': {}, list: [1] },
    consent: { email: 'yes', sms: 'granted' },
  };
  const leaves = (...paths: string[]) => withoutFaults(given, paths.map(fault))?.fields;

  it('leaves out the field with the fault and returns the fault', () => {
    const { phone: _, ...others } = given;
    expect(withoutFaults(given, [fault('phone')])).toEqual({
      fields: others,
      dropped: [fault('phone')],
    });
  });

  it('leaves out single items of a list', () => {
    expect(leaves('tags[1]', 'tags[3]', 'tags')).toMatchObject({ tags: ['a', 'b'] });
    expect(withoutFaults(given, [fault('tags[1]'), fault('tags')])!.dropped).toEqual([
      fault('tags[1]'),
    ]);
  });

  it('leaves out single members of properties and consent', () => {
    expect(leaves('properties.a.b', 'properties.list', 'consent.email')).toMatchObject({
      properties: { plan: 'pro' },
      consent: { sms: 'granted' },
    });
  });

  it('leaves out the whole field when the member is not found', () => {
    expect(leaves('properties.shortened…')).not.toHaveProperty('properties');
    expect(leaves('tags')).not.toHaveProperty('tags');
  });

  it('returns undefined when no fault belongs to a field', () => {
    expect(withoutFaults(given, [fault('')])).toBeUndefined();
    expect(withoutFaults(given, [fault('unknown'), fault('__proto__')])).toBeUndefined();
    expect(withoutFaults(given, [])).toBeUndefined();
  });
});
