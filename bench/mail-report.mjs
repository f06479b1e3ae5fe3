// Formats the contest about e-mails as Markdown.
import { cpu } from './durable-report.mjs';
import { quotient, series, spread, table } from './tables.mjs';

export function mailSection({ rows }) {
  const peer = rows.find(({ kind }) => kind === 'peer');
  const plain = rows.find(({ name }) => name === 'switchboard');
  const limit = rows.find(({ kind }) => kind === 'bare');
  return [
    '## E-mails to a mail server',
    'The load is requests to send an e-mail to a contact, in a closed loop over 16 connections. The time is measured from the first request until the last e-mail has arrived. The mail server is on the same machine, and gets at most 10 connections. Every e-mail must arrive exactly once with its text and be recorded as sent. Switchboard and the queue respond when the e-mail is stored. nodemailer alone stores nothing and responds when the e-mail is delivered. The HTML e-mails are made from a published template with two variables and inlined CSS, and have a plain text part too. Signed e-mails are signed with an RSA key of 2048 bits. At a fixed rate of 100 a second, the last column has the time from the response until the e-mail arrives.',
    '',
    ...table(
      [
        'contestant',
        'e-mails/s (least – most)',
        'CPU µs each',
        'CPU µs of PostgreSQL',
        '× graphile-worker',
        '× nodemailer',
        '× plain',
        'p99 at 100/s in ms',
      ],
      1,
      rows.map((row) => [
        row.title,
        spread(series(row, 'perSecond')),
        ...cpu(row),
        quotient(row, peer),
        quotient(row, limit),
        row.form ? quotient(row, plain) : '',
        row.rounds[0]?.p99 === undefined ? '' : spread(series(row, 'p99')),
      ]),
    ),
  ];
}
