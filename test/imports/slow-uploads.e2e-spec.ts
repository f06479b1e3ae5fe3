import type { Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { rawRequest } from '../http/raw-request.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { tryUpload } from '../support/uploaded-import.js';
import { waitFor } from '../support/wait-for.js';

const MOST_OPEN = 20;
const BOUNDARY = 'part';
/** The beginning of the body for each kind of upload. It is so short that the service stores no import. */
const BODIES = {
  file: { type: 'text/csv', beginning: 'email\n' },
  form: {
    type: `multipart/form-data; boundary=${BOUNDARY}`,
    beginning: `--${BOUNDARY}\r\nContent-Disposition: form-data; name="note"\r\n\r\n`,
  },
};

let switchboard: RunningSwitchboard;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});

describe('uploads of contacts that arrive slowly', () => {
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  const begin = async (acme: TestOrganization, kind: keyof typeof BODIES): Promise<string> => {
    const { type, beginning } = BODIES[kind];
    const { text } = await rawRequest(
      switchboard.url,
      `POST /api/imports HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${acme.key}\r\n` +
        `Content-Type: ${type}\r\nContent-Length: 1000\r\n\r\n${beginning}`,
      (socket) => sockets.push(socket),
    );
    return text.split('\r\n')[0]!;
  };

  it.each(['file', 'form'] as const)(
    'occupy at most 20 connections of an organization as a %s',
    async (kind) => {
      const acme = await createOrganization(switchboard);
      const answers: string[] = [];
      for (let count = 0; count < MOST_OPEN + 3; count += 1) {
        void begin(acme, kind).then((answer) => answers.push(answer));
      }
      await waitFor(() => answers.length >= 3);
      expect(answers).toEqual(Array.from({ length: 3 }, () => 'HTTP/1.1 409 Conflict'));
      expect((await tryUpload(acme, 'email\na@example.com\n')).status).toBe(409);
      const other = await createOrganization(switchboard);
      expect((await tryUpload(other, 'email\na@example.com\n')).status).toBe(201);

      for (const socket of sockets.splice(0)) socket.destroy();
      await waitFor(async () => (await tryUpload(acme, 'email\na@example.com\n')).status === 201);
    },
  );
});
