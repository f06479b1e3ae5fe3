import { describe, expect, it } from 'vitest';
import { parseCommand } from './command-arguments.js';

const CALL = { tool: 'note', url: undefined, isDryRun: false, idempotencyKey: undefined };

describe(parseCommand.name, () => {
  it.each<[string, object]>([
    ['help', { name: 'help' }],
    ['call --help', { name: 'help' }],
    ['--version', { name: 'version' }],
    ['doctor --url http://a', { name: 'doctor', url: 'http://a' }],
    ['tools', { name: 'tools', tool: undefined }],
    ['tools note', { name: 'tools', tool: 'note' }],
    ['call note', { ...CALL, name: 'call', json: '{}' }],
    ['call note {"a":1} --dry-run', { ...CALL, name: 'call', json: '{"a":1}', isDryRun: true }],
    [
      'call note --file a.jsonl',
      { ...CALL, name: 'call-rows', file: 'a.jsonl', isRejected: false, from: 1, parallel: 4 },
    ],
    [
      'call note --rejected - --from 21 --parallel 1 --idempotency-key k',
      {
        ...CALL,
        name: 'call-rows',
        file: undefined,
        isRejected: true,
        from: 21,
        parallel: 1,
        idempotencyKey: 'k',
      },
    ],
  ])('reads %s', (line, expected) => {
    expect(parseCommand(line.split(' '))).toEqual({ url: undefined, ...expected });
  });

  it.each([
    ['', 'No command is given.'],
    ['cal', 'Unknown command: cal. Did you mean call?'],
    ['constructor', 'Unknown command: constructor.'],
    ['call', 'Name the tool'],
    ['call note {} more', 'The argument "more" is not expected.'],
    ['call note {} --file x', 'is not expected.'],
    ['call note --from 2', 'need a file'],
    ['call note --file x --rejected y', 'either --file or --rejected'],
    ['call note --file x --parallel 17', '--parallel must be a whole number: 1 to 16.'],
    ['call note --file x --from 0', '--from must be a whole number: at least 1.'],
    ['call note --file', "Option '--file <value>' argument missing. See"],
    ['call note --idempotency-key ä', 'visible ASCII'],
    ['tools a b', 'The argument "b" is not expected.'],
    ['tools --from 2', '"switchboard tools" has no option --from.'],
    ['tools --key secret', "Unknown option '--key'. See"],
  ])('refuses %j and says what is allowed', (line, message) => {
    const given = line.split(' ').filter(Boolean);
    expect(() => parseCommand(given)).toThrow(message);
    expect(() => parseCommand(given)).not.toThrow('secret');
  });
});
