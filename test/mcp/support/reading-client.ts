import { expect } from 'vitest';

/** Describes the reading methods that both generations of the official client have. */
interface ReadingClient {
  listResources(): Promise<{ resources: { uri: string }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { name: string }[] }>;
  readResource(params: { uri: string }): Promise<{ contents: object[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(params: {
    name: string;
    arguments?: Record<string, string>;
  }): Promise<{ messages: object[] }>;
  complete(params: {
    ref: { type: 'ref/prompt'; name: string };
    argument: { name: string; value: string };
  }): Promise<{ completion: { values: string[] } }>;
}

/** Reads resources, gets a prompt and completes an argument. `errors` has the errors that the client reported. */
export async function expectReading(
  client: ReadingClient,
  errors: readonly Error[],
): Promise<void> {
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toContain('switchboard://contacts');
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.map(({ name }) => name)).toContain('contact');
  const { contents } = await client.readResource({ uri: 'switchboard://contacts' });
  expect(contents).toEqual([
    {
      uri: 'switchboard://contacts',
      mimeType: 'application/json',
      text: expect.stringContaining('"contacts"') as string,
    },
  ]);
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toContain('build_workflow');
  const { messages } = await client.getPrompt({
    name: 'build_workflow',
    arguments: { description: 'Welcome people.' },
  });
  expect(messages[0]).toMatchObject({ role: 'user', content: { type: 'text' } });
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'write_message' },
    argument: { name: 'contact', value: 'zzz' },
  });
  expect(completion.values).toEqual([]);
  expect(errors).toEqual([]);
  const unknown = client.readResource({ uri: 'switchboard://contacts/größe' });
  await expect(unknown).rejects.toMatchObject({ code: -32602 });
  await expect(client.getPrompt({ name: 'unheard_of' })).rejects.toMatchObject({ code: -32602 });
}
