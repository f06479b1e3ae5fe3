import { CompletionContext } from '@codemirror/autocomplete';
import { json } from '@codemirror/lang-json';
import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { completeJson } from './json-hints.ts';

const hints = {
  schema: {
    properties: { steps: { items: { $ref: '#/$defs/step' } } },
    $defs: {
      step: {
        anyOf: [
          {
            required: ['id', 'tool'],
            properties: {
              id: {},
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
    },
  },
  tools: new Map([['save', { about: '', schema: { properties: { first_name: {}, email: {} } } }]]),
};

/** Returns the labels of the completions at the `|` in the text. */
function labelsAt(text: string): (string | undefined)[] {
  const position = text.indexOf('|');
  const state = EditorState.create({ doc: text.replace('|', ''), extensions: [json()] });
  ensureSyntaxTree(state, state.doc.length, 5000);
  const found = completeJson(new CompletionContext(state, position, true), hints);
  return found?.options.map(({ displayLabel }) => displayLabel) ?? [];
}

describe(completeJson, () => {
  it.each([
    ['{"|', ['steps']],
    ['{"steps": [{"|', ['id', 'tool', 'arguments', 'stop']],
    ['{"steps": [{"id": "a", "|}]}', ['tool', 'arguments', 'stop']],
    ['{"steps": [{"id": "a", "tool": "|}]}', ['save']],
    ['{"steps": [{"id": "a", "stop": |}]}', ['succeeded', 'failed']],
    ['{"steps": [{"id": "a", "tool": "save", "arguments": {"|"}}]}', ['first_name', 'email']],
    ['{"steps": [{"id": "a", "tool": "save", "arguments": {"fi|}]}', ['first_name', 'email']],
    ['{"steps": [{"tool": "save", "arguments": {"email": "x", |}}]}', ['first_name']],
  ])('at the | in %s, offers %j', (text, expected) => {
    expect(labelsAt(text)).toEqual(expected);
  });
});
