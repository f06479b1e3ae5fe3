import { describe, expect, it } from 'vitest';
import { tidyFields } from './run-contacts.service.js';

describe(tidyFields, () => {
  it('removes blank members at any depth', () => {
    expect(
      tidyFields({
        email: ' ada@example.com\n',
        first_name: '',
        last_name: null,
        phone: '   ',
        tags: ['lead', '', null, ' b '],
        properties: { plan: ' pro ', seats: 0, trial: false, city: '', zip: null },
        consent: { email: '', sms: 'granted' },
      }),
    ).toEqual({
      email: 'ada@example.com',
      tags: ['lead', 'b'],
      properties: { plan: 'pro', seats: 0, trial: false },
      consent: { sms: 'granted' },
    });
  });

  it('converts numbers to text where the field is text', () => {
    expect(tidyFields({ external_id: 42, tags: [1], properties: { seats: 5 } })).toEqual({
      external_id: '42',
      tags: ['1'],
      properties: { seats: 5 },
    });
  });

  it('keeps values of a wrong type, so that validation refuses them', () => {
    const given = { email: ['a'], tags: 'lead', properties: [1], consent: 'yes', first_name: true };
    expect(tidyFields(given)).toEqual(given);
  });
});
