import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 10_000;
/** The largest number of open requests. Without a limit, requests would pile up while no process responds. */
const MOST_AT_ONCE = 32;
const PAUSE_MS = 200;
const GIVE_UP_MS = 300_000;

/** Plans the orders that the webhooks report. `random` decides which orders wait, send an e-mail or are repeated. */
export function planOrders(random, count, name) {
  return Array.from({ length: count }, (_, index) => ({
    subject: `${name}-${index}`,
    /** A sender without a key does not retry, because it cannot know whether a webhook without a response was stored. */
    keyed: !random.chance(0.1),
    delivered: random.chance(0.1) ? 2 : 1,
    mail: random.chance(0.2),
    /** The treatment of an e-mail when nobody knows whether it was sent. */
    onUncertain: random.chance(0.5) ? 'hold' : 'resend',
    wait: random.chance(0.1),
    /** Lists the ids of runs in 2xx responses. */
    runIds: [],
  }));
}

/** Sends all orders at an even rate, retries until a response is `ok`, and records the run ids. */
export async function sendAll(orders, { webs, path, secret, perSecond, tally }) {
  const began = Date.now();
  const sending = new Set();
  for (const [index, order] of orders.entries()) {
    await sleep(Math.max(0, began + (index * 1000) / perSecond - Date.now()));
    while (sending.size >= MOST_AT_ONCE) await Promise.race(sending);
    while (tally.waitingFaults > 0) await sleep(20);
    tally.begun = index + 1;
    const { subject, mail, onUncertain: on_uncertain, wait } = order;
    const email = mailOf(subject);
    const body = JSON.stringify({ order: subject, email, mail, on_uncertain, wait });
    const request = {
      method: 'POST',
      body,
      headers: {
        'Content-Type': 'application/json',
        'x-webhook-signature': createHmac('sha256', secret).update(body).digest('hex'),
        ...(order.keyed && { 'Idempotency-Key': subject }),
      },
    };
    for (let copy = 0; copy < (order.keyed ? order.delivered : 1); copy += 1) {
      const delivery = deliver(order, request, index + copy, { webs, path, tally });
      sending.add(delivery);
      void delivery.finally(() => sending.delete(delivery));
    }
  }
  await Promise.all(sending);
}

export function mailOf(subject) {
  return `${subject}@example.com`;
}

async function deliver(order, request, first, { webs, path, tally }) {
  const giveUpAt = Date.now() + GIVE_UP_MS;
  for (let attempt = 0; Date.now() < giveUpAt; attempt += 1) {
    const web = webs[(first + attempt) % webs.length];
    tally.sent += 1;
    let mayBeStored = true;
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(`${web.url}${path}`, { ...request, signal });
      const answer = await response.json();
      if (answer.ok === true) {
        order.runIds.push(answer.runId);
        return;
      }
      tally.refused[response.status] = (tally.refused[response.status] ?? 0) + 1;
    } catch (error) {
      mayBeStored = error.cause?.code !== 'ECONNREFUSED';
      tally.unanswered += 1;
    }
    if (!order.keyed && mayBeStored) return;
    await sleep(PAUSE_MS);
  }
  tally.givenUp += 1;
}
