import { connect } from 'node:net';
import type { ClientBase, Connection } from 'pg';

/** The code of a CancelRequest (PostgreSQL, "Message Formats"). */
const CANCEL_REQUEST = 80_877_102;
const CANCEL_BYTES = 16;
/** The longest time, in milliseconds, for which {@link endSession} waits until PostgreSQL has the request to cancel. */
const CANCEL_MS = 2000;

/** The type declarations of pg leave out these parts. */
interface RunningClient extends ClientBase {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
  readonly connection: Connection;
}

/**
 * Cancels the running statement of a client and closes its connection, so that PostgreSQL rolls the transaction back.
 * Never rejects. Without the cancellation, PostgreSQL would notice the closed connection only after the statement.
 */
export async function endSession(given: ClientBase): Promise<void> {
  const client = given as RunningClient;
  await cancelStatement(client);
  client.connection.stream.destroy();
}

/**
 * Cancels the running statement of a client, which may be closed already. Never rejects. PostgreSQL gets the request over
 * a separate connection, and closes this connection when it has handled the request.
 */
export function cancelStatement(client: ClientBase): Promise<void> {
  const { host, port, processID, secretKey } = client as RunningClient;
  const request = Buffer.alloc(CANCEL_BYTES);
  for (const [index, value] of [CANCEL_BYTES, CANCEL_REQUEST, processID, secretKey].entries()) {
    request.writeInt32BE(value, 4 * index);
  }
  const isSocket = host.startsWith('/');
  return new Promise((resolve) => {
    const socket = connect(isSocket ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
    socket.setTimeout(CANCEL_MS, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.once('close', () => resolve());
    socket.resume().end(request);
  });
}
