import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UriTemplate } from './uri-template.js';

describe(UriTemplate.name, () => {
  it.each([
    [
      'switchboard://contacts/{contact_id}',
      'switchboard://contacts/con_1',
      { contact_id: 'con_1' },
    ],
    ['test://template/{id}/data', 'test://template/123/data', { id: '123' }],
    ['a://b/{x}/{y}', 'a://b/1/gr%C3%B6%C3%9Fe', { x: '1', y: 'größe' }],
    ['a://b/{x}', 'a://b/gr%c3%b6ße', { x: 'größe' }],
    ['file:///notes/{x}', 'file:///notes/a.txt', { x: 'a.txt' }],
    ['a://b', 'a://b', {}],
  ])('%s matches %s', (template, uri, values) => {
    expect(new UriTemplate(template).match(uri)).toEqual(values);
  });

  it.each([
    'a://b/',
    'a://b/c/d',
    'a://b/c?d',
    'a://b/c#d',
    'a://b/%2F',
    'a://b/%5C',
    'a://b/c%0Ad',
    'a://b/c\0',
    'a://b/.',
    'a://b/%2E%2e',
    'a://b/%E0%A4',
    'a://b/\ud800',
    `a://b/${'x'.repeat(2048)}`,
    'a:/b/c',
    'A://b/c',
  ])('a://b/{x} does not match %j', (uri) => {
    expect(new UriTemplate('a://b/{x}').match(uri)).toBeUndefined();
  });

  it.each([
    '',
    'contacts',
    'a://{host}/b',
    'a://b/{x}{y}',
    'a://b/pre{x}',
    'a://b/{+x}',
    'a://b/{}',
    'a://b/{x}/{x}',
    'a://b//c',
    'a://b/c/',
    'a://b?{x}',
  ])('refuses the template %j', (template) => {
    expect(() => new UriTemplate(template)).toThrow();
  });

  it('decodes every name that was encoded', () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .filter((text) => !/[\p{Cc}/\\]/u.test(text) && text !== '.' && text !== '..');
    const template = new UriTemplate('a://b/{x}/c');
    const property = fc.property(name, (text) => {
      expect(template.match(`a://b/${encodeURIComponent(text)}/c`)).toEqual({ x: text });
    });
    fc.assert(property);
  });
});
