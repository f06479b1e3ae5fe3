import { describe, expect, it } from 'vitest';
import {
  type GivenObject,
  alternativesOf,
  fittingSchemas,
  isAllowedText,
  isKnownMember,
  memberOffers,
  memberSchemas,
  valueOffers,
} from './json-schema.ts';

const schema = {
  properties: { steps: { items: { $ref: '#/$defs/step' } }, trigger: { $ref: '#/$defs/trigger' } },
  $defs: {
    step: {
      anyOf: [
        {
          required: ['id', 'tool'],
          properties: {
            id: { type: 'string', description: 'Name' },
            tool: { type: 'string', format: 'tool-name' },
            arguments: { type: 'object', format: 'tool-arguments' },
          },
        },
        {
          required: ['id', 'stop'],
          properties: { id: {}, stop: { enum: ['succeeded', 'failed'] } },
        },
      ],
    },
    trigger: {
      anyOf: [
        { required: ['type'], properties: { type: { enum: ['manual'] } } },
        { required: ['type'], properties: { type: { enum: ['event'] }, event: {} } },
      ],
    },
  },
};
const arguments_ = { type: 'object', properties: { email: { description: 'E-mail address.' } } };
const hints = {
  schema,
  tools: new Map([['create_contact', { about: 'Creates one.', schema: arguments_ }]]),
};
const given = (value: object): GivenObject => ({
  names: new Set(Object.keys(value)),
  texts: new Map(Object.entries(value).filter(([, each]) => typeof each === 'string')),
});
const steps = alternativesOf({ $ref: '#/$defs/step' }, schema);
const labels = (offers: readonly { label: string }[]) => offers.map(({ label }) => label);

describe('the schema of a text', () => {
  it('offers the members of every alternative, until the object fits one or more of them', () => {
    const some = given({ id: 'a' });
    expect(labels(memberOffers(fittingSchemas(steps, some), some, schema))).toEqual([
      'tool',
      'arguments',
      'stop',
    ]);
    const tool = given({ id: 'a', tool: 'create_contact' });
    expect(labels(memberOffers(fittingSchemas(steps, tool), tool, schema))).toEqual(['arguments']);
  });

  it('selects an alternative by a member that allows only one value', () => {
    const triggers = alternativesOf({ $ref: '#/$defs/trigger' }, schema);
    const event = given({ type: 'event' });
    expect(labels(memberOffers(fittingSchemas(triggers, event), event, schema))).toEqual(['event']);
  });

  it('offers the arguments of the tool of the step, with their descriptions', () => {
    const step = given({ id: 'a', tool: 'create_contact' });
    const inner = memberSchemas(fittingSchemas(steps, step), 'arguments', step, hints);
    expect(memberOffers(inner, given({}), schema)).toEqual([
      { label: 'email', about: 'E-mail address.', isText: true },
    ]);
    expect(isKnownMember(inner, 'email')).toBe(true);
    expect(isKnownMember(inner, 'mail')).toBe(false);
  });

  it('offers listed values and names of tools, and reports texts that are not allowed', () => {
    const stops = memberSchemas(steps, 'stop', given({}), hints);
    expect(labels(valueOffers(stops, hints))).toEqual(['succeeded', 'failed']);
    const tools = memberSchemas(steps, 'tool', given({}), hints);
    expect(labels(valueOffers(tools, hints))).toEqual(['create_contact']);
    expect(isAllowedText(stops, 'done', hints)).toBe(false);
    expect(isAllowedText(tools, 'create_contacts', hints)).toBe(false);
    expect(isAllowedText(stops, '{{ a.b }}', hints)).toBe(true);
  });
});
