import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ApiError } from './api-error.js';
import {
  type Read,
  type Reader,
  boolean,
  dictionary,
  json,
  list,
  optional,
  record,
  text,
} from './reader.js';
import { request } from './request.js';

const readTools = record({
  tools: list(
    record({
      name: text,
      title: text,
      description: text,
      inputSchema: dictionary(json),
      outputSchema: optional(dictionary(json)),
      annotations: record({
        readOnlyHint: boolean,
        destructiveHint: boolean,
        idempotentHint: boolean,
        openWorldHint: boolean,
      }),
    }),
  ),
});
export type ToolDescriptor = Read<typeof readTools>['tools'][number];

export type Arguments = Readonly<Record<string, unknown>>;

/** Calls a tool as the signed-in person. Undefined arguments are left out. */
export function callTool<T>(
  name: string,
  given: Arguments,
  reader: Reader<T>,
  signal?: AbortSignal,
): Promise<T> {
  const path = `/api/tools/${encodeURIComponent(name)}`;
  return request('POST', path, reader, { body: given, ...(signal && { signal }) });
}

const readerIds = new WeakMap<Reader<unknown>, number>();
let readers = 0;

/** Returns the number of a reader. Each call with the same reader returns the same number. */
function idOf(reader: Reader<unknown>): number {
  const id = readerIds.get(reader) ?? (readers += 1);
  readerIds.set(reader, id);
  return id;
}

/**
 * Returns the options of a query that reads with a tool. The key of the query begins with the name of the tool, and
 * ends with the number of the reader. Without this number, two pages with different readers of the same answer would
 * share one cached value. Create each reader once, outside of components.
 */
export function toolQuery<T>(name: string, given: Arguments, reader: Reader<T>) {
  return {
    queryKey: ['tool', name, given, idOf(reader)] as const,
    queryFn: ({ signal }: { signal: AbortSignal }) => callTool(name, given, reader, signal),
  };
}

/**
 * Reads with a tool. While the result for new arguments loads, the earlier result stays, so that the layout does not
 * jump.
 */
export function useTool<T>(name: string, given: Arguments, reader: Reader<T>, isEnabled = true) {
  return useQuery<T, ApiError>({
    ...toolQuery(name, given, reader),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
  });
}

/** Changes something with a tool. Then the results of the `changed` tools are read again. */
export function useToolCall<T>(name: string, reader: Reader<T>, changed: readonly string[] = []) {
  const client = useQueryClient();
  return useMutation<T, ApiError, Arguments>({
    mutationFn: (given) => callTool(name, given, reader),
    onSuccess: async () => {
      await Promise.all(
        changed.map((tool) => client.invalidateQueries({ queryKey: ['tool', tool] })),
      );
    },
  });
}

/** Lists the tools that this person may call. */
export function useToolList() {
  return useQuery<ToolDescriptor[], ApiError>({
    queryKey: ['tools'],
    queryFn: async ({ signal }) =>
      (await request('GET', '/api/tools', readTools, { signal })).tools,
    staleTime: 60_000,
  });
}
