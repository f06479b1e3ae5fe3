// The limit: nodemailer alone. The answer waits for the mail server; nothing is stored, and nothing tried again.
import { announce } from '../serve.mjs';
import { deliver, serveMails } from './mail-server.mjs';

const url = await serveMails(async ({ email, subject, body }) => {
  await deliver({ recipient: email, subject, body });
  return true;
});
announce({ url });
