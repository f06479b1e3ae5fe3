import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';

/**
 * The main module of a thread that runs the code of workflows. It is JavaScript, because tests start it without a
 * build. Each job has an instance of QuickJS with its own memory, and this file gives the instance no function of the
 * host. So code can reach only its input, and no data of an earlier job.
 *
 * @import { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten-core'
 * @import { CodeFault, CodeJob, CodeReply, ResultLimits } from './code-job.js'
 */

const PAGE_BYTES = 64 * 1024;
/** The memory with which QuickJS starts, in pages of 64 KiB. The WebAssembly module requires exactly this minimum. */
const INITIAL_PAGES = 256;
/** The size of the machine stack of QuickJS. A recursion that needs more is an error of the code. */
const STACK_BYTES = 256 * 1024;
/** The number of promise jobs that are executed as a group. The time limit is checked between groups. */
const JOBS_AT_ONCE = 1000;
const MAX_MESSAGE = 1000;
/** The largest number of characters in the description of an error: its name, message and stack, and two separators. */
const MAX_DESCRIPTION = 3 * MAX_MESSAGE + 2;
const FILE = 'code.js';
const TOO_DEEP = 'it is nested too deeply';
/** @type {CodeFault} */
const INTERRUPTED = { kind: 'time', message: 'interrupted' };
/** @type {CodeFault} */
const UNREADABLE = { kind: 'thrown', message: 'it threw an error that cannot be read' };

const require = createRequire(import.meta.url);
const wasm = await WebAssembly.compile(
  await readFile(require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm')),
);

// When the WebAssembly module stops, it prints the reason to the console. Nobody reads this output, so it is discarded.
for (const name of ['log', 'warn', 'error']) console[name] = () => undefined;

// Functions of QuickJS read the time from the Date of this thread. Nothing else uses this Date, so it can be replaced:
// the time of a job stands still, and local times are UTC on every server.
let jobTime = 0;
/** The time of `performance.now()` at which the job must end. */
let endsAt = 0;
Date.now = () => jobTime;
useUtc();

/** Reports what is wrong with the code. */
class Fault extends Error {
  /** @param {CodeFault} fault */
  constructor(fault) {
    super(fault.message);
    this.fault = fault;
  }
}

parentPort.on('message', async (job) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort.postMessage(await work(job));
});
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort.postMessage('ready');

/**
 * @param {CodeJob} job
 * @returns {Promise<CodeReply>}
 */
async function work(job) {
  try {
    return job.kind === 'check' ? { faults: await check(job) } : { output: await run(job) };
  } catch (error) {
    if (error instanceof Fault) return { fault: error.fault };
    if (isTimeUp()) return { fault: INTERRUPTED };
    // QuickJS has trapped: its stack is full, or its memory cannot grow. The instance is not used again.
    const message = error instanceof RangeError ? TOO_DEEP : 'the sandbox stopped the code';
    return { fault: { kind: 'thrown', message } };
  }
}

/**
 * Compiles each code without running it. Returns a fault or null for each.
 *
 * @param {Extract<CodeJob, { kind: 'check' }>} job
 * @returns {Promise<(CodeFault | null)[]>}
 */
async function check({ codes, milliseconds, memoryBytes }) {
  endsAt = performance.now() + milliseconds;
  /** @type {(CodeFault | null)[]} */
  const faults = [];
  let { context } = await open(memoryBytes, 0);
  for (const code of codes) {
    const fault = compile(context, code);
    faults.push(fault);
    // The instance may be in any state, because its stack was full.
    if (fault?.message === TOO_DEEP) ({ context } = await open(memoryBytes, 0));
  }
  return faults;
}

/**
 * @param {QuickJSContext} context
 * @param {string} code
 * @returns {CodeFault | null}
 */
function compile(context, code) {
  try {
    const describe = createDescribe(context);
    const result = context.evalCode(wrap(code), FILE, { compileOnly: true });
    const fault = result.error ? faultOf(context, describe, result.error, 'syntax') : null;
    (result.error ?? result.value).dispose();
    describe.dispose();
    return fault;
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'syntax', message: TOO_DEEP };
    throw error;
  }
}

/**
 * Runs the code and returns its result as JSON.
 *
 * @param {Extract<CodeJob, { kind: 'run' }>} job
 * @returns {Promise<string>}
 */
async function run({ code, input, now, milliseconds, memoryBytes, limits }) {
  endsAt = performance.now() + milliseconds;
  const { context, runtime } = await open(memoryBytes, now);
  const describe = createDescribe(context);
  // `JSON.parse` and `JSON.stringify` are read before the code runs, so the code cannot replace them.
  const json = context.getProp(context.global, 'JSON');
  const [parse, stringify] = [context.getProp(json, 'parse'), context.getProp(json, 'stringify')];
  /** @param {ReturnType<QuickJSContext['callFunction']>} result */
  const take = (result) => {
    if (result.error) throw new Fault(faultOf(context, describe, result.error, 'thrown'));
    return result.value;
  };
  const compiled = context.evalCode(wrap(code), FILE);
  if (compiled.error) throw new Fault(faultOf(context, describe, compiled.error, 'syntax'));
  const argument = take(context.callFunction(parse, context.undefined, context.newString(input)));
  const promise = take(context.callFunction(compiled.value, context.undefined, argument));
  const value = take(settle(context, runtime, promise));
  const text = take(context.callFunction(stringify, context.undefined, value));
  if (context.typeof(text) !== 'string') return 'null';
  // The length is read first, because the text may not fit into the memory of the thread.
  const length = context.getNumber(context.getProp(text, 'length'));
  if (length > limits.bytes) throw tooLarge(`is larger than ${limits.bytes} bytes`);
  const output = context.getString(text);
  if (Buffer.byteLength(output) > limits.bytes)
    throw tooLarge(`is larger than ${limits.bytes} bytes`);
  countMembers(JSON.parse(output), 1, limits);
  return output;
}

/**
 * Executes promise jobs until none is left, and returns how the promise was settled.
 *
 * @param {QuickJSContext} context
 * @param {QuickJSRuntime} runtime
 * @param {QuickJSHandle} promise
 */
function settle(context, runtime, promise) {
  while (runtime.hasPendingJob()) {
    const done = runtime.executePendingJobs(JOBS_AT_ONCE);
    if (done.error) return { error: done.error };
  }
  const state = context.getPromiseState(promise);
  if (state.type === 'fulfilled') return { value: state.value };
  if (state.type === 'rejected') return { error: state.error };
  const message = 'it waits for a promise that nothing settles';
  throw new Fault({ kind: 'thrown', message });
}

/**
 * Creates an instance of QuickJS with its own memory. Its handles are not freed one by one, because the whole instance
 * is dropped.
 *
 * @param {number} memoryBytes
 * @param {number} now
 */
async function open(memoryBytes, now) {
  jobTime = now;
  // The instance needs memory for itself and for the text of the result, besides the memory that the code may use.
  const maximum = Math.ceil(memoryBytes / PAGE_BYTES) + 2 * INITIAL_PAGES;
  const wasmMemory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum });
  const own = newVariant(variant, { wasmModule: wasm, wasmMemory });
  const quickjs = await newQuickJSWASMModuleFromVariant(own);
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(memoryBytes);
  runtime.setMaxStackSize(STACK_BYTES);
  runtime.setInterruptHandler(isTimeUp);
  return { runtime, context: runtime.newContext() };
}

function isTimeUp() {
  return performance.now() > endsAt;
}

/**
 * Returns a function whose body is the code, on separate lines. So the code can use `return`, and may end with a
 * comment.
 *
 * @param {string} code
 */
function wrap(code) {
  return `"use strict"; (async function (input) {\n${code}\n})`;
}

/**
 * Creates a function inside QuickJS that describes an error. The limits of the code apply to this function too,
 * because the error may have getters that run code. The function calls no method that the code could have replaced, so
 * its result has at most `MAX_DESCRIPTION` characters.
 *
 * @param {QuickJSContext} context
 */
function createDescribe(context) {
  const source = `((text, cut) => (error) => {
    const isError = typeof error === 'object' && error !== null && 'message' in error;
    const short = (part) => cut(text(part), 0, ${MAX_MESSAGE});
    if (!isError) return '\\u0001' + short(error) + '\\u0001';
    return short(error.name) + '\\u0001' + short(error.message) + '\\u0001' + short(error.stack);
  })(String, Function.prototype.call.bind(String.prototype.slice))`;
  return context.unwrapResult(context.evalCode(source, 'describe.js'));
}

/**
 * @param {QuickJSContext} context
 * @param {QuickJSHandle} describe
 * @param {QuickJSHandle} error
 * @param {CodeFault['kind']} kind
 * @returns {CodeFault}
 */
function faultOf(context, describe, error, kind) {
  // After the time limit, QuickJS interrupts the code. The interruption may appear as a rejected promise. QuickJS would
  // interrupt `describe` too, so `describe` is not called.
  if (isTimeUp()) return INTERRUPTED;
  const result = context.callFunction(describe, context.undefined, error);
  // The error has a getter that throws or does not end.
  if (result.error) return UNREADABLE;
  // The length is read first. A text that does not fit into the memory of the thread would end the whole process.
  if (context.getNumber(context.getProp(result.value, 'length')) > MAX_DESCRIPTION)
    return UNREADABLE;
  const text = context.getString(result.value);
  const [name = '', message = '', stack = ''] = text.split('\u0001', 3);
  if (name === 'InternalError' && message === 'out of memory') return { kind: 'memory', message };
  const place = new RegExp(`${FILE}:(\\d{1,6})(?::(\\d{1,6}))?`).exec(stack);
  return {
    kind,
    message: (name === '' ? message : `${name}: ${message}`).slice(0, MAX_MESSAGE),
    ...(place && { line: Number(place[1]) - 1, column: Number(place[2] ?? 1) }),
  };
}

/**
 * Returns the number of members of a value, including nested members. Throws beyond the limits.
 *
 * @param {unknown} value
 * @param {number} depth
 * @param {ResultLimits} limits
 * @returns {number}
 */
function countMembers(value, depth, limits) {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > limits.depth) throw tooLarge(`is nested deeper than ${limits.depth} levels`);
  let members = 0;
  for (const member of Object.values(value)) members += 1 + countMembers(member, depth + 1, limits);
  if (members > limits.members) throw tooLarge(`has more than ${limits.members} values`);
  return members;
}

/** @param {string} what */
function tooLarge(what) {
  return new Fault({ kind: 'size', message: `the result ${what}` });
}

/** Makes the local time of this thread UTC. */
function useUtc() {
  Object.assign(Date.prototype, { getTimezoneOffset: () => 0 });
  for (const part of ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds']) {
    Object.assign(Date.prototype, { [`get${part}`]: Date.prototype[`getUTC${part}`] });
  }
}
