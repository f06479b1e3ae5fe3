// Shows the least possible work: node:http with pg, without a framework, API keys and limits.
import { createServer } from 'node:http';
import { answerBody } from './bare-answer.mjs';
import { announce, listen } from './serve.mjs';

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const body = JSON.stringify(await answerBody(JSON.parse(Buffer.concat(chunks).toString())));
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  });
});
announce({ url: await listen(server) });
