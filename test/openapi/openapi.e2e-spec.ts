import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';

interface Document {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, { operationId?: string; summary: string }>>;
}

let switchboard: Switchboard;
let acme: TestOrganization;

beforeAll(async () => {
  switchboard = await startSwitchboard();
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

async function read(organization = acme): Promise<Document> {
  const response = await organization.fetch('/api/openapi.json');
  expect(response.status).toBe(200);
  return (await response.json()) as Document;
}

interface Layer {
  route?: { path: string | string[]; methods: Record<string, boolean> };
}

/**
 * Returns the routes of the application. A route with a middleware occurs twice. Leaves out routes that refuse every
 * method with 405.
 */
function routes(): string[] {
  const express = switchboard.app.getHttpAdapter().getInstance();
  const layers = (express.router as unknown as { stack: Layer[] }).stack;
  return layers.flatMap(({ route }) => {
    if (!route) return [];
    const methods = Object.keys(route.methods);
    if (methods.length > 1 || methods.includes('_all')) return [];
    return [route.path]
      .flat()
      .map((path) => `${methods[0]} ${path.replace(/:(\w+)/g, '{$1}').replace(/\/$/, '')}`);
  });
}

describe('GET /api/openapi.json', () => {
  it('is a valid document of OpenAPI 3.1', async () => {
    const document = await read();
    expect(document.openapi).toBe('3.1.0');
    expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
  });

  it('has every route and every tool, and no other operation', async () => {
    const { paths } = await read();
    const { tools } = (await (await acme.fetch('/api/tools')).json()) as {
      tools: { name: string }[];
    };
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const ofTools = tools.map(({ name }) => `post /api/tools/${name}`);
    // The MCP endpoint takes every method, and answers 405 to every method except POST.
    const known = [...new Set(routes())].filter((route) => route !== 'post /api/tools/{name}');
    expect(known.length).toBeGreaterThan(20);
    expect(described.sort()).toEqual([...known, 'post /api/mcp', ...ofTools].sort());
  });

  it('describes no tool that the organization hides', async () => {
    const other = await createOrganization(switchboard);
    await other.call('set_tool_policy', { tool: 'delete_contact', hidden: true });
    expect((await read(other)).paths).not.toHaveProperty(['/api/tools/delete_contact']);
    expect((await read()).paths).toHaveProperty(['/api/tools/delete_contact']);
  });

  it('needs a session', async () => {
    expect((await fetch(`${switchboard.url}/api/openapi.json`)).status).toBe(401);
    const headers = { Authorization: `Bearer ${acme.key}` };
    expect((await fetch(`${switchboard.url}/api/openapi.json`, { headers })).status).toBe(401);
  });
});
