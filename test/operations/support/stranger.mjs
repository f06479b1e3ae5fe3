import { Agent, createServer, request } from 'node:http';
import { parentPort } from 'node:worker_threads';

/**
 * Runs in a separate thread, so that work in the thread of Switchboard does not delay the measurement. It sends
 * requests. At the same time it sends a ping every 10 ms to `pingUrl` and to a server in this thread. The waits for
 * the server in this thread show how busy the machine is.
 */

const PING_INTERVAL_MS = 10;
const agent = new Agent({ keepAlive: true });
const control = createServer((_request, response) => response.end('{}'));
const controlUrl = await new Promise((resolve) => {
  control.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${control.address().port}/`));
});

/** Holds the running pings, one entry for each server. `stop` ends them and returns the longest wait. */
let pings = [];

parentPort.on('message', async ({ id, kind, ...given }) => {
  try {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    parentPort.postMessage({ id, value: await ACTIONS[kind](given) });
  } catch (error) {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    parentPort.postMessage({ id, error: String(error) });
  }
});

const ACTIONS = {
  begin: ({ pingUrl }) => {
    pings = [startPings(pingUrl), startPings(controlUrl)];
  },
  send,
  /**
   * Returns the durations of the slowest ping to Switchboard and of the slowest ping to this thread, in milliseconds.
   */
  end: async () => {
    const [waitMs, controlMs] = await Promise.all(pings.map((one) => one.stop()));
    return { waitMs, controlMs };
  },
  close: () => {
    agent.destroy();
    control.close();
  },
};

function startPings(url) {
  let longestMs = 0;
  let isStopped = false;
  const loop = async () => {
    while (!isStopped) {
      const started = performance.now();
      await send({ url, method: 'GET', headers: {} });
      const waitMs = performance.now() - started;
      longestMs = Math.max(longestMs, waitMs);
      await new Promise((resolve) => setTimeout(resolve, PING_INTERVAL_MS - waitMs));
    }
  };
  const done = loop();
  return {
    stop: async () => {
      isStopped = true;
      await done;
      return longestMs;
    },
  };
}

/** Sends a request and returns its status and the start of its body. */
function send({ url, method, headers, body }) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part) => {
        if (text.length < 2000) text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
