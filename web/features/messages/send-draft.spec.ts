import { describe, expect, it } from 'vitest';
import { EMPTY_DRAFT, toMessage } from './send-draft.ts';

const written = { ...EMPTY_DRAFT, subject: 'Hello', body: 'Good morning.' };
const template = {
  id: 'tpl_1',
  variables: [{ name: 'seats', type: 'number', description: undefined, default: undefined }],
};
const files = [{ id: 'fil_1', name: 'a.pdf', size: 1 }];

describe(toMessage, () => {
  it.each([
    [' ada@example.com ', { email: 'ada@example.com' }],
    ['+49 (30) 123-456', { phone: '+49 (30) 123-456' }],
    ['con_123', { contact_id: 'con_123' }],
    ['', { contact_id: '' }],
  ])('recognizes the kind of the recipient %o', (recipient, addressee) => {
    expect(toMessage({ ...written, recipient }, undefined, true)).toEqual({
      ...addressee,
      channel: 'email',
      subject: 'Hello',
      body: 'Good morning.',
    });
  });

  it('sends attachments only by e-mail, and a subject only on channels that have subjects', () => {
    const recipient = 'con_1';
    expect(toMessage({ ...written, recipient, files }, undefined, true)).toMatchObject({
      attachments: [{ file_id: 'fil_1' }],
    });
    const other = { ...written, recipient, files, channel: 'letter' };
    expect(toMessage(other, undefined, true)).toMatchObject({ subject: 'Hello' });
    expect(toMessage({ ...other, subject: '' }, undefined, true)).not.toHaveProperty('subject');
    expect(toMessage({ ...other, channel: 'sms' }, undefined, false)).toEqual({
      contact_id: 'con_1',
      channel: 'sms',
      body: 'Good morning.',
    });
  });

  it('sends a template with its variables in place of a text', () => {
    const draft = {
      ...written,
      recipient: 'con_1',
      topic: 'offers',
      templateId: 'tpl_1',
      typed: new Map([['seats', '2']]),
    };
    expect(toMessage(draft, template, true)).toEqual({
      contact_id: 'con_1',
      channel: 'email',
      topic: 'offers',
      template_id: 'tpl_1',
      variables: { seats: 2 },
    });
  });
});
