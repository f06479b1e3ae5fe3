import { type Answer, type Sink, startSink } from './sink.js';

let shared: Promise<Sink> | undefined;
let currentAnswer: Answer = (_request, response) => response.writeHead(404).end();

/**
 * Returns the server that workflows of `sharedSwitchboard` may send requests to. From now on it answers with `answer`,
 * and it forgets the requests of earlier test files. It runs until the worker of Vitest ends.
 */
export async function sharedSink(answer: Answer): Promise<Sink> {
  const sink = await startOnce();
  sink.requests.length = 0;
  currentAnswer = answer;
  return sink;
}

/** Returns the value of OUTBOUND_ALLOW that lets a Switchboard send requests to the shared server. */
export async function allowSharedSink(): Promise<string> {
  return `127.0.0.1:${(await startOnce()).port}`;
}

function startOnce(): Promise<Sink> {
  shared ??= startSink('127.0.0.1', (request, response) => currentAnswer(request, response));
  return shared;
}
