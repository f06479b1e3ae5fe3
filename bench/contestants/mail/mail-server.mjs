// Provides the common parts of the peers that send e-mails: the HTTP server and the connection to the mail server.
import { createServer } from 'node:http';
import { createTransport } from 'nodemailer';
import { listen } from '../serve.mjs';

const FROM = 'bench@example.com';

/** The number of connections, the same as in Switchboard. */
export const transport = createTransport({
  url: process.env.SMTP_URL,
  pool: true,
  maxConnections: 10,
  maxMessages: Infinity,
});

export async function deliver({ recipient, subject, body }) {
  await transport.sendMail({ from: FROM, to: recipient, subject, text: body });
}

/** Responds to each request when `accept` has resolved: with 202, or with 404 when `accept` resolved to false. */
export async function serveMails(accept) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      accept(JSON.parse(Buffer.concat(chunks).toString())).then(
        (isAccepted) => send(response, isAccepted ? 202 : 404, { ok: isAccepted }),
        (error) => send(response, 500, { ok: false, error: error.message }),
      );
    });
  });
  return await listen(server);
}

function send(response, status, value) {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}
