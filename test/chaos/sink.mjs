// Runs the external systems: an HTTP service and a mail server that accept everything and record each call with its
// key. Start it with `fork`; the first message contains its addresses.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';

/** The duration of a call, in milliseconds. It is as long as in real systems, so that faults happen while steps run. */
const CALL_MS = 200;
/** Lists HTTP calls and e-mails in the order of arrival, with their subject and the key that identifies repeats. */
const ledger = [];
/** The calls that wait until `POST /release`, by subject. Only the first call of a subject waits. */
const held = new Map();

const http = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => void answer(request, Buffer.concat(chunks).toString(), response));
});

async function answer(request, body, response) {
  if (request.url === '/ledger') return void response.end(JSON.stringify(ledger));
  if (request.url === '/release') {
    for (const { open } of held.values()) open();
    return void response.end('{}');
  }
  const { subject, hold } = JSON.parse(body);
  ledger.push({ kind: 'call', subject, key: request.headers['idempotency-key'] ?? null });
  if (hold && !held.has(subject)) {
    await new Promise((open) => held.set(subject, { open }));
  }
  await sleep(CALL_MS);
  response.end('{}');
}

const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  logger: false,
  onData: (stream, session, callback) => {
    const chunks = [];
    stream.on('data', (chunk) => chunks.push(chunk));
    stream.on('end', () => {
      const headers = Buffer.concat(chunks).toString().split('\r\n\r\n')[0];
      const key = /^message-id:\s*(\S+)/im.exec(headers)?.[1] ?? null;
      ledger.push({ kind: 'mail', subject: session.envelope.rcptTo[0].address, key });
      setTimeout(callback, CALL_MS);
    });
  },
});
smtp.on('error', () => undefined);

await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
await new Promise((resolve) => smtp.listen(0, '127.0.0.1', resolve));
process.on('disconnect', () => process.exit(0));
process.send({
  url: `http://127.0.0.1:${http.address().port}`,
  smtpUrl: `smtp://127.0.0.1:${smtp.server.address().port}`,
});
