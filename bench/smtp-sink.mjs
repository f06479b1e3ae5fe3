// Runs a mail server on loopback that accepts every e-mail and records recipient, subject and text.
import { once } from 'node:events';
import { createServer } from 'node:net';

const END = '\r\n.\r\n';
const ANSWERS = {
  EHLO: '250-sink\r\n250-8BITMIME\r\n250 PIPELINING',
  HELO: '250 sink',
  MAIL: '250 OK',
  RCPT: '250 OK',
  DATA: '354 Go on',
  RSET: '250 OK',
  NOOP: '250 OK',
  QUIT: '221 Bye',
};

export class SmtpSink {
  /**
   * Lists the e-mails in the order of arrival: `to`, `subject`, `text`, `html` (empty without an HTML part), `isSigned`
   * (with DKIM), and the time `at` in milliseconds.
   */
  mails = [];

  static async start() {
    const sink = new SmtpSink();
    sink.sockets = new Set();
    sink.server = createServer((socket) => sink.#serve(socket)).listen(0, '127.0.0.1');
    await once(sink.server, 'listening');
    sink.url = `smtp://127.0.0.1:${sink.server.address().port}`;
    return sink;
  }

  stop() {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  #serve(socket) {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.setEncoding('utf8').setNoDelay(true);
    let unread = '';
    let to = [];
    let isData = false;
    socket.write('220 sink ESMTP\r\n');
    socket.on('data', (chunk) => {
      unread += chunk;
      for (;;) {
        const end = unread.indexOf(isData ? END : '\r\n');
        if (end === -1) return;
        const read = unread.slice(0, end);
        unread = unread.slice(end + (isData ? END.length : 2));
        if (isData) {
          this.#take(to, read);
          isData = false;
          socket.write('250 Taken\r\n');
          continue;
        }
        const verb = read.slice(0, 4).toUpperCase();
        if (verb === 'MAIL') to = [];
        if (verb === 'RCPT') to.push(/<(.*)>/.exec(read)?.[1]);
        isData = verb === 'DATA';
        socket.write(`${ANSWERS[verb] ?? '502 Not known'}\r\n`);
        if (verb === 'QUIT') socket.end();
      }
    });
  }

  #take(to, data) {
    const { head, body } = split(data);
    const subject = /^Subject: (.*)$/m.exec(head)?.[1];
    const isSigned = /^DKIM-Signature: /m.test(head);
    const boundary = /boundary="(.*)"/.exec(head)?.[1];
    const parts = boundary ? body.split(`--${boundary}`).slice(1, -1).map(split) : [{ head, body }];
    const find = (type) => parts.find((part) => part.head.includes(`Content-Type: ${type}`))?.body;
    const [text, html] = [find('text/plain').trim(), find('text/html') ?? ''];
    this.mails.push({ to: to.join(', '), subject, text, html, isSigned, at: Date.now() });
  }
}

function split(part) {
  const end = part.indexOf('\r\n\r\n');
  return { head: part.slice(0, end), body: part.slice(end + 4) };
}
