import { describe, expect, it } from 'vitest';
import { matchTools } from './match-tools.ts';

const tools = [
  { name: 'send_message', title: 'Send a message', description: 'Writes to a contact.' },
  { name: 'get_run', title: 'Get a run', description: 'Returns one run.' },
];

describe(matchTools, () => {
  it.each([
    ['', 2],
    ['MESSAGE contact', 1],
    ['message run', 0],
  ])('for %j, finds %i tools', (typed, count) => {
    expect(matchTools(tools, typed)).toHaveLength(count);
  });
});
