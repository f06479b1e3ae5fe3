import { beforeAll, describe, expect, it } from 'vitest';
import { tracesOf } from '../mcp/support/traces.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { buildTree } from '../support/process.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { runCommand } from './support/command.js';
import { MiddleServer } from './support/middle-server.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  buildTree();
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const run = (...given: string[]) => runCommand(given, { url: switchboard.url, key: acme.key });

describe('switchboard call TOOL', () => {
  it('prints the result as JSON', async () => {
    const { code, stdout, stderr } = await run('call', 'echo_text', '{"text":"hi"}');
    expect(JSON.parse(stdout)).toEqual({ text: 'hi' });
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('calls a tool without arguments', async () => {
    expect((await run('call', 'takes_nothing')).stdout).toBe('{}\n');
  });

  it('prints the error of the tool with every fault, and exits with 1', async () => {
    const { code, stdout, stderr } = await run('call', 'echo_text', '{"txet":"hi"}');
    expect(stderr).toMatch(/^invalid_arguments: /);
    expect(stderr).toContain('  text is required\n');
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });

  it('prints a single fault once', async () => {
    const { stderr } = await run('call', 'echo_text', '{"text":5}');
    expect(stderr).toMatch(/^invalid_arguments: text must be .*\n$/);
  });

  it('prints the error of the service for an unknown tool', async () => {
    const { code, stderr } = await run('call', 'echo_txt');
    expect(stderr).toContain('Unknown tool: echo_txt. Did you mean echo_text?');
    expect(code).toBe(1);
  });

  it('escapes control characters of a result, which stays the same JSON', async () => {
    const text = 'a\u001b[31mb\u009b31mc\u202ed';
    const { stdout } = await run('call', 'echo_text', JSON.stringify({ text }));
    // oxlint-disable-next-line no-control-regex -- the test looks for these characters
    expect(stdout).not.toMatch(/[\u001b\u009b\u202e]/);
    expect(JSON.parse(stdout)).toEqual({ text });
  });

  it('calls the tool once when the connection breaks after the call, and prints the result', async () => {
    const middle = await MiddleServer.start(switchboard.url);
    middle.behaviour = async (_request, forward) => {
      const answer = await forward();
      return middle.requests.length === 1 ? undefined : answer;
    };
    const given = ['call', 'note', '{"text":"lost answer"}'];
    const { code, stdout } = await runCommand(given, { url: middle.url, key: acme.key });
    await middle.close();
    expect(JSON.parse(stdout)).toEqual({ note_id: 'lost answer' });
    expect(code).toBe(0);
    const traces = await tracesOf(switchboard, acme);
    expect(traces.filter((trace) => trace === 'lost answer')).toHaveLength(1);
  });

  it('stores nothing with --dry-run, and prints the changes that a real call would make', async () => {
    const { stdout } = await run(
      'call',
      'create_contact',
      '{"email":"a@example.com"}',
      '--dry-run',
    );
    expect(JSON.parse(stdout)).toMatchObject({ dry_run: true, effects: [{ table: 'contacts' }] });
    expect((await run('call', 'get_contact', '{"email":"a@example.com"}')).stderr).toMatch(
      /^not_found: /,
    );
  });
});

describe('switchboard tools', () => {
  it('lists each tool that the key may call, in one line', async () => {
    const { code, stdout } = await run('tools');
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toContainEqual(expect.stringMatching(/^create_contact +Create a contact$/));
    expect(lines).not.toContainEqual(expect.stringMatching(/^set_tool_policy /));
    expect(code).toBe(0);
  });

  it('describes a tool with the type, the limits and the meaning of its arguments', async () => {
    const { stdout } = await run('tools', 'create_contact');
    expect(stdout).toMatch(/^create_contact: Create a contact\n/);
    expect(stdout).toMatch(/\n {2}email {2}\(text, at most 254 characters\)\n/);
    expect(stdout).toContain('\n    One e-mail address. Unique, whatever its case.\n');
    expect(stdout).toContain('\n  on_conflict  ("error" or "update", default "error")\n');
    expect(stdout).toMatch(
      /\n {2}consent {2}\(object\)\n[^]*\n {4}sms {2}\("granted" or "denied"\)\n/,
    );
    expect((await run('tools', 'echo_text')).stdout).toContain(
      '\n  text  (text, at most 100 characters, required)\n',
    );
    expect((await run('tools', 'takes_nothing')).stdout).toContain('It takes no arguments.');
  });

  it('names similar tools when the tool is unknown', async () => {
    const { code, stderr } = await run('tools', 'create_contacts');
    expect(stderr).toContain('Unknown tool: create_contacts. Did you mean create_contact,');
    expect(code).toBe(2);
  });
});

describe('switchboard', () => {
  it.each([
    [['help'], /^switchboard: calls tools/],
    [['--version'], /^\d+\.\d+\.\d+\n$/],
  ])('executes %j without a connection to a service', async (given, output) => {
    const { code, stdout } = await runCommand(given);
    expect(stdout).toMatch(output);
    expect(code).toBe(0);
  });

  it('explains a wrong argument in one sentence, without the key', async () => {
    const { code, stdout, stderr } = await run('call', 'note', '{}', 'swb_secret');
    expect(stderr).toBe('The argument "swb_..." is not expected. See "switchboard help".\n');
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  it('refuses arguments of a tool that are not a JSON object', async () => {
    const { code, stderr } = await run('call', 'note', '[]');
    expect(stderr).toContain('The arguments are not a JSON object.');
    expect(code).toBe(2);
  });

  it.each([
    [undefined, 'SWITCHBOARD_KEY is not set.'],
    ['swb_cut', 'SWITCHBOARD_KEY has no API key'],
    ['two\nlines', 'SWITCHBOARD_KEY has no API key'],
  ])('refuses to start when SWITCHBOARD_KEY is %j', async (key, message) => {
    const { code, stderr } = await runCommand(['tools'], { url: switchboard.url, key });
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it('prefers the address of --url to the address of the environment', async () => {
    const given = ['tools', '--url', `${switchboard.url}/`];
    const { code } = await runCommand(given, { url: 'http://127.0.0.1:1', key: acme.key });
    expect(code).toBe(0);
  });
});

describe('switchboard new', () => {
  it('passes its arguments to the script of npm run new, and ends with the exit code of the script', async () => {
    const { code, stderr } = await run('new', 'Not A Name');
    expect(code).toBe(1);
    expect(stderr).toContain('Not A Name');
  });
});
