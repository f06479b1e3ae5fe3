import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  /** The bytes that the server sent until it closed the connection. */
  text: string;
  seconds: number;
}

/** Sends bytes over a plain TCP connection, and resolves when the server has closed it. */
export function rawRequest(url: string, text: string, then?: (socket: Socket) => void) {
  const { hostname, port } = new URL(url);
  return new Promise<RawAnswer>((resolve, reject) => {
    const began = performance.now();
    let answer = '';
    const socket = connect(Number(port), hostname, () => {
      socket.write(text);
      then?.(socket);
    });
    socket.on('data', (data: Buffer) => (answer += data.toString('latin1')));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A server that closes a connection before it has read everything resets the connection.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => {
      resolve({ text: answer, seconds: (performance.now() - began) / 1000 });
    });
  });
}
