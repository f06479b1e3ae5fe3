import { createServer, request } from 'node:http';

/**
 * Starts a loopback proxy that adds an API key, because the suite cannot send one. The proxy changes nothing else. It
 * keeps Host and Origin, which the DNS rebinding checks need. It passes on each part of a stream and each disconnect
 * immediately.
 */
export async function startProxy({ target, apiKey }) {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, answer) => {
    const { method, url: path } = incoming;
    const headers = { ...incoming.headers, authorization: `Bearer ${apiKey}` };
    const forwarded = request({ hostname, port, method, path, headers, agent: false });
    forwarded.on('response', (response) => {
      answer.writeHead(response.statusCode, response.headers);
      // Sends the headers now, because the first part of a stream may take long.
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
