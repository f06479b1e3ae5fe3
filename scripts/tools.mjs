// npm run tools [-- --tokens]
// Prints the tools of this build, or the number of tokens of each tool in tools/list. Needs no database.
import { buildOrExit } from './build.mjs';

const COLUMN_GAP = '  ';
const ERAS = [
  ['plain JSON-RPC', { name: 'plain' }],
  ['MCP 2025-11-25', { name: 'legacy', version: '2025-11-25' }],
  ['MCP 2026-07-28', { name: 'modern' }],
];

async function main() {
  const unknown = process.argv.slice(2).filter((argument) => argument !== '--tokens');
  if (unknown.length > 0) fail(`Unknown argument ${unknown[0]}. The only argument is --tokens.`);
  await buildOrExit(1);
  const { previewToolRegistry } = await import('../dist/src/bootstrap/preview-tool-registry.js');
  const tools = (await previewToolRegistry()).all();
  if (process.argv.includes('--tokens')) await printTokens(tools);
  else printTools(tools);
}

function printTools(tools) {
  printTable(
    ['name', 'callers', 'title'],
    tools.map(({ descriptor, surfaces }) => [
      descriptor.name,
      [...surfaces].join(', '),
      descriptor.title,
    ]),
  );
}

async function printTokens(tools) {
  const { countTokens } = await import('./tokens/count-tokens.mjs');
  const { encoderOf } = await import('../dist/src/mcp/encoders/encoder-of.js');
  const { listedTool } = await import('../dist/src/mcp/listed-tool.js');
  const listed = tools
    .filter(({ surfaces }) => surfaces.has('agent'))
    .map(({ descriptor }) => listedTool(descriptor));
  const encoders = ERAS.map(([, era]) => encoderOf(era));
  const entry = (encoder, tool) => JSON.stringify(JSON.parse(encoder.toolList([tool])).tools[0]);
  const rows = listed.map((tool) => [
    tool.name,
    ...encoders.map((encoder) => countTokens(entry(encoder, tool))),
  ]);
  const wholes = encoders.map((encoder) => countTokens(encoder.toolList(listed)));
  printTable(
    ['tokens (o200k_base)', ...ERAS.map(([name]) => name)],
    [...rows, ['whole list', ...wholes]],
  );
}

function printTable(head, rows) {
  const all = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  for (const row of all) {
    const cells = row.map((cell, column) =>
      /^\d+$/.test(cell) ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
    );
    console.log(cells.join(COLUMN_GAP).trimEnd());
  }
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

await main();
