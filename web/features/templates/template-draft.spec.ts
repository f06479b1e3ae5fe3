import { describe, expect, it } from 'vitest';
import { fromDraft, readTyped, toDraft } from './template-draft.ts';

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
  it('is sent as it was stored', () => {
    const { variables, variants } = TEMPLATE;
    expect(fromDraft(toDraft(TEMPLATE))).toEqual({ variables, variants });
  });

  it('leaves a default that is no JSON to the service', () => {
    const variables = [{ name: 'n', type: 'number', description: '', default: 'many' }];
    expect(fromDraft({ variables, variants: [] }).variables[0]!.default).toBe('many');
  });
});

describe('the values for a preview', () => {
  const variables = [
    { name: 'constructor', type: 'text' },
    { name: 'count', type: 'number' },
  ];

  it('are what the types need, and undefined when nothing was typed', () => {
    expect(readTyped(variables, new Map([['count', ' ']]))).toBeUndefined();
    expect(readTyped(variables, new Map([['count', '2']]))).toEqual({ count: 2 });
    expect(readTyped(variables, new Map([['constructor', '2']]))).toEqual({ constructor: '2' });
  });
});
