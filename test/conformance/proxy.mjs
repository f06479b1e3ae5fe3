import { createServer, request } from 'node:http';

/**
 * A loopback proxy that adds an API key, because the suite can send none. Everything else passes as it is: Host and
 * Origin (the checks on DNS rebinding lie in them), each part of a stream as soon as it comes, and a disconnect of
 * either side.
 */
export async function startProxy({ target, apiKey }) {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, answer) => {
    const { method, url: path } = incoming;
    const headers = { ...incoming.headers, authorization: `Bearer ${apiKey}` };
    const forwarded = request({ hostname, port, method, path, headers, agent: false });
    forwarded.on('response', (response) => {
      answer.writeHead(response.statusCode, response.headers);
      // A stream whose first part is long in coming is a stream already.
      answer.flushHeaders();
      response.pipe(answer);
      response.on('close', () => {
        if (!response.complete) answer.destroy();
      });
    });
    forwarded.on('error', () => answer.destroy());
    answer.on('close', () => {
      if (!answer.writableFinished) forwarded.destroy();
    });
    incoming.pipe(forwarded);
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
