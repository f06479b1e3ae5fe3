import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { HtmlProcess } from '../../src/templates/html-process.js';
import { itSlow } from '../support/thorough.js';

const MAIN = new URL('../../src/templates/html-process-main.mjs', import.meta.url);
const rules = Array.from({ length: 5000 }, (_, index) => `.a${index} p:not(.b) > b {color:red}`);
/** HTML whose CSS takes minutes to inline. */
const ENDLESS = `<style>${rules.join('')}</style>x${'<p><b></b></p>'.repeat(4000)}`;
const SIMPLE = '<style>p{color:red}</style><p>x</p>';

describe('a process for HTML', () => {
  const started: ChildProcess[] = [];
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
  });
  const start = async (): Promise<ChildProcess> => {
    const child = fork(MAIN, [], {
      env: {},
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    started.push(child);
    expect(await once(child, 'message')).toContain('ready');
    return child;
  };
  const exitOf = (child: ChildProcess) => once(child, 'exit');

  it('ends when its parent is gone', async () => {
    const child = await start();
    child.disconnect();
    expect(await exitOf(child)).toEqual([0, null]);
  });

  itSlow('ends when its parent is gone, although it works on HTML that takes minutes', async () => {
    const child = await start();
    await new Promise((resolve) => child.send(ENDLESS, resolve));
    child.disconnect();
    expect(await exitOf(child)).toEqual([1, null]);
  });

  it('still works after it got the signals that Ctrl-C and systemd send to all processes', async () => {
    const child = await start();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) child.kill(signal);
    const answer = once(child, 'message');
    child.send(SIMPLE);
    expect(await answer).toMatchObject([
      { html: expect.stringContaining('color: red') },
      undefined,
    ]);
  });

  it('gets neither options of Node.js nor the environment of its parent', async () => {
    const options = process.execArgv.length;
    const failing = '--import=data:text/javascript,process.exit(9)';
    const { NODE_OPTIONS } = process.env;
    process.execArgv.push(failing);
    process.env.NODE_OPTIONS = failing;
    let child: HtmlProcess | undefined;
    try {
      const ready = new Promise<unknown>((resolve) => {
        child = new HtmlProcess(resolve);
        void child.ended.then(() => resolve('ended'));
      });
      expect(await ready).toBe('ready');
    } finally {
      process.execArgv.splice(options);
      if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS;
      else process.env.NODE_OPTIONS = NODE_OPTIONS;
      await child?.end();
    }
  });
});
