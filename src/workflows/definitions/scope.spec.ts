import { describe, expect, it } from 'vitest';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { mayReference } from './scope.js';

const step = (text: string) => ({ id: 'a', tool: 'echo', arguments: { deep: [{ text }] } });

describe('mayReference', () => {
  it.each([
    '{{ contact.email }}',
    '{{contact}}',
    '{{ contact["email"] }}',
    '{{ ["contact"].email }}',
    "{{ ['contact'] }}",
    '{% assign name = "con" | append: "tact" %}{{ [name].email }}',
    '{% assign name = "con" | append: "tact" %}{{-[name].email}}',
    '{% if contact %}yes{% endif %}',
    '{{ 1 | plus: contact.age }}',
    '{{ other[contact.id] }}',
    '{%- for one in contact.tags -%}{{ one }}{%- endfor -%}',
    'contact',
    '(contact.a..3)',
  ])('returns true for %s', (text) => {
    expect(mayReference(step(text), 'contact')).toBe(true);
  });

  it.each([
    '{{ look_up.contact.id }}',
    '{{ trigger.payload.contact_id }}',
    '{{ my-contact }}',
    '{{ contacts[0].id }}',
    '{{ trigger.payload["email"] }}',
    'no expression',
  ])('returns false for %s', (text) => {
    expect(mayReference(step(text), 'contact')).toBe(false);
  });

  it('returns true whenever rendering reads the variable', async () => {
    const liquid = new LiquidSandbox();
    const scope = { contact: { email: 'secret' }, n: 'contact', a: ['x'] };
    const read = async (text: string): Promise<boolean> => {
      try {
        return (await liquid.render('org_1', text, scope)).includes('secret');
      } catch {
        return false;
      }
    };
    const parts = [
      '{{',
      '}}',
      ' ',
      'contact',
      '.email',
      '["email"]',
      '[n]',
      'a',
      '[0]',
      '["contact"]',
      '-',
      '|',
      'upcase',
    ];
    let reading = 0;
    // A text depends on its first part (13 values), its length (5) and the distance of its parts (11). More tries would
    // only repeat the same texts.
    for (let tries = 0; tries < 13 * 5 * 11; tries += 1) {
      const inner = Array.from(
        { length: 1 + (tries % 5) },
        (_, index) => parts[(tries * 7 + index * (tries % 11)) % parts.length],
      );
      const text = `{{ ${inner.join('')} }}`;
      if (!(await read(text))) continue;
      reading += 1;
      expect(mayReference(step(text), 'contact'), text).toBe(true);
    }
    expect(reading).toBeGreaterThan(20);
  });
});
