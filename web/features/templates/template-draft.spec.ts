import { describe, expect, it } from 'vitest';
import { fromDraft, toDraft } from './template-draft.ts';

const TEMPLATE = {
  id: 'tpl_1',
  name: 'order',
  description: null,
  version: null,
  draft_version: 1,
  variables: [
    { name: 'code', type: 'text', description: undefined, default: '7' },
    { name: 'items', type: 'list', description: 'All', default: ['a'] },
    { name: 'big', type: 'boolean', description: undefined, default: undefined },
  ],
  variants: {
    en: { email: { subject: 'Hi', html: undefined, text: 'x' }, sms: undefined },
    de: { email: undefined, sms: { text: 'y' } },
  },
};

describe('the draft of a template in the form', () => {
  it('is sent unchanged when nobody edits it', () => {
    const { variables, variants } = TEMPLATE;
    expect(fromDraft(toDraft(TEMPLATE))).toEqual({ variables, variants });
  });

  it('keeps a default value that is not JSON, so that the service reports the fault', () => {
    const variables = [{ name: 'n', type: 'number', description: '', default: 'many' }];
    expect(fromDraft({ variables, variants: [] }).variables[0]!.default).toBe('many');
  });
});
