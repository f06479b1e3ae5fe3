// Defines the webhooks of the contests about runs: payload, signature and expected message.
import { createHmac } from 'node:crypto';

/** The number of contacts of the one organization that every contestant has. */
export const CONTACTS = 200;
export const SECRET = 'a secret that the sender and the contestant share';

export function contactOf(number) {
  return { email: `person.${number}@example.com`, firstName: `Person ${number}` };
}

/** Returns request number `order`. Each has a different body. */
export function webhookOf(order) {
  const body = JSON.stringify({ email: contactOf(order % CONTACTS).email, order, note: NOTE });
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  return {
    headers: { 'content-type': 'application/json', 'x-webhook-signature': signature },
    body,
  };
}

/** Returns the message that the run of the webhook must store. */
export function messageOf(firstName, order) {
  return { subject: `Order ${order}`, body: `Hello ${firstName}, order ${order} is on its way.` };
}

const NOTE =
  'Stands for the other data of an order of a shop, so that the body has a usual size. '.repeat(4);
