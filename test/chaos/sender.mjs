import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 10_000;
/** A sender that sends ever more while nobody answers measures only itself. */
const MOST_AT_ONCE = 32;
const PAUSE_MS = 200;
const GIVE_UP_MS = 300_000;

/** The orders that the webhooks are about, and what is special about each, all decided by the seed. */
export function planOrders(random, count, name) {
  return Array.from({ length: count }, (_, index) => ({
    subject: `${name}-${index}`,
    /** Without a key a sender cannot know whether a webhook that nobody answered was taken, so it does not repeat it. */
    keyed: !random.chance(0.1),
    delivered: random.chance(0.1) ? 2 : 1,
    mail: random.chance(0.2),
    wait: random.chance(0.1),
    /** Ids of runs that a 2xx answer told of. */
    told: [],
  }));
}

/** Sends all orders at an even pace, as a sender that repeats until it is told `ok`; notes what it was told. */
export async function sendAll(orders, { webs, path, secret, perSecond, tally }) {
  const began = Date.now();
  const sending = new Set();
  for (const [index, order] of orders.entries()) {
    await sleep(Math.max(0, began + (index * 1000) / perSecond - Date.now()));
    while (sending.size >= MOST_AT_ONCE) await Promise.race(sending);
    tally.begun = index + 1;
    const { subject, mail, wait } = order;
    const body = JSON.stringify({ order: subject, email: mailOf(subject), mail, wait });
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
        order.told.push(answer.runId);
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
