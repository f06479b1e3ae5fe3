// Shows the least possible work: nodemailer alone. The response waits for the mail server. Nothing is stored and
// nothing is retried.
import { announce } from '../serve.mjs';
import { deliver, serveMails } from './mail-server.mjs';

const url = await serveMails(async ({ email, subject, body }) => {
  await deliver({ recipient: email, subject, body });
  return true;
});
announce({ url });
