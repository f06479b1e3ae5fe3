// The webhook of the contests about runs: what it carries, how it is signed, and what must come of it.
import { createHmac } from 'node:crypto';

/** What every contestant knows before: so many contacts, all of one organization. */
export const CONTACTS = 200;
export const SECRET = 'a secret that the sender and the contestant share';

export function contactOf(number) {
  return { email: `person.${number}@example.com`, firstName: `Person ${number}` };
}

/** The request number `order`: each has a body of its own. */
export function webhookOf(order) {
  const body = JSON.stringify({ email: contactOf(order % CONTACTS).email, order, note: NOTE });
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  return {
    headers: { 'content-type': 'application/json', 'x-webhook-signature': signature },
    body,
  };
}

/** The message that its run stores, in every contestant. */
export function messageOf(firstName, order) {
  return { subject: `Order ${order}`, body: `Hello ${firstName}, order ${order} is on its way.` };
}

const NOTE =
  'Stands for what a shop says of an order besides, so that the body has a usual size. '.repeat(4);
