type Command = readonly [file: string, ...args: string[]];

/**
 * The largest memory of each process of the server, in KiB. A statement that needs more fails with 53200. Without this
 * limit, Linux would end a process of the server when the memory of the machine is used up, and PostgreSQL would then
 * restart for all organizations. An answer of 256 MiB, the largest that the service accepts, needs about 1.2 GiB. The
 * migration that removes values of more than 1 GB needs between 2 and 3 GiB.
 */
const MOST_KIB = 3 * 1024 * 1024;
// The shell sets the limit and then becomes the server, so the server has the process id of the shell. When the system
// has set a lower limit, ulimit fails and the lower limit stays.
const SCRIPT = `ulimit -v ${MOST_KIB}; exec "$0" "$@"`;

/** Returns a command that runs `command` with limited memory. On systems other than Linux, returns `command`. */
export function limitMemory(command: Command): Command {
  return process.platform === 'linux' ? ['/bin/sh', '-c', SCRIPT, ...command] : command;
}
