import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { CommandError } from './command-error.js';

export interface InputFile {
  /** The size of the file. Undefined for standard input and for pipes. */
  readonly bytes: number | undefined;
  /** Reads the file until its end, or until the signal aborts. */
  read(stop: AbortSignal): AsyncGenerator<Uint8Array>;
}

/** Opens a file, or standard input when the name is undefined. Throws a {@link CommandError} when it cannot be read. */
export async function openInput(file: string | undefined): Promise<InputFile> {
  if (file === undefined) {
    return { bytes: undefined, read: (stop) => readUntil(process.stdin, 'Standard input', stop) };
  }
  const found = await stat(file).catch((error: unknown) => {
    throw unreadable(`The file ${file}`, error);
  });
  if (found.isDirectory()) throw new CommandError(`${file} is a folder. Name a file.`);
  return {
    bytes: found.isFile() ? found.size : undefined,
    read: (stop) => readUntil(createReadStream(file), `The file ${file}`, stop),
  };
}

async function* readUntil(
  stream: NodeJS.ReadStream | ReturnType<typeof createReadStream>,
  name: string,
  stop: AbortSignal,
): AsyncGenerator<Uint8Array> {
  // Without this listener, the command would stop only after the next line of a pipe.
  const destroy = (): void => void stream.destroy();
  stop.addEventListener('abort', destroy);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    if (!stop.aborted) throw unreadable(name, error);
  } finally {
    stop.removeEventListener('abort', destroy);
  }
}

function unreadable(name: string, cause: unknown): CommandError {
  const { code } = cause as NodeJS.ErrnoException;
  const reason = code === 'ENOENT' ? 'does not exist. Check its name' : `cannot be read (${code})`;
  return new CommandError(`${name} ${reason}.`, { cause });
}
