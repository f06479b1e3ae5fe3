import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';

/** The moments at which a scripted server reacts. `content` is before the final dot, `dot` after it. */
export type Moment =
  'connect' | 'EHLO' | 'STARTTLS' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'content' | 'dot';

/** `drop` resets the connection, `silence` never answers. Any other text is sent as the answer. */
export type Reaction = 'drop' | 'silence' | `${number} ${string}`;

const ANSWERS: Record<string, string> = {
  AUTH: '235 welcome',
  DATA: '354 go on',
  STARTTLS: '220 ready',
  QUIT: '221 bye',
};

/** Speaks just enough SMTP to fail at one moment. Its connections and commands are recorded. */
export class ScriptedSmtpServer {
  readonly commands: string[] = [];
  readonly messages: string[] = [];
  connections = 0;
  mostOpen = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor(
    private readonly script: Partial<Record<Moment, Reaction>> = {},
    private readonly extensions: readonly string[] = ['PIPELINING', 'SMTPUTF8'],
  ) {
    this.server = createServer((socket) => this.serve(socket));
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => void this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => void this.server.close(() => resolve()));
  }

  private serve(socket: Socket): void {
    this.connections += 1;
    this.sockets.add(socket);
    this.mostOpen = Math.max(this.mostOpen, this.sockets.size);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
    if (!this.react(socket, 'connect', '220 scripted ESMTP')) return;
    let received = '';
    let isContent = false;
    let isRefused = false;
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      received += chunk;
      for (;;) {
        const end = received.indexOf(isContent ? '\r\n.\r\n' : '\r\n');
        if (isContent && this.script.content && !this.react(socket, 'content', '')) return;
        if (end < 0) return;
        const part = received.slice(0, end);
        received = received.slice(end + (isContent ? 5 : 2));
        if (isContent) {
          isContent = false;
          this.messages.push(part);
          if (!this.react(socket, 'dot', '250 taken')) return;
          continue;
        }
        this.commands.push(part);
        const command = part.split(' ', 1)[0]!.toUpperCase();
        const reaction = this.script[command as Moment];
        if (command === 'MAIL') isRefused = false;
        if (command === 'DATA' && isRefused) {
          socket.write('503 no recipient\r\n');
          continue;
        }
        const answer = command === 'EHLO' ? this.greeting() : (ANSWERS[command] ?? '250 ok');
        if (!this.react(socket, command as Moment, answer)) return;
        isRefused ||= reaction !== undefined;
        isContent = command === 'DATA' && reaction === undefined;
      }
    });
  }

  private greeting(): string {
    const lines = ['scripted', ...this.extensions];
    return lines.map((line, i) => `250${i < lines.length - 1 ? '-' : ' '}${line}`).join('\r\n');
  }

  /** Answers as scripted. Returns false when the connection is no longer served. */
  private react(socket: Socket, moment: Moment, usual: string): boolean {
    const reaction = this.script[moment];
    if (reaction === 'drop') socket.resetAndDestroy();
    if (reaction === 'drop' || reaction === 'silence') return false;
    const answer = reaction ?? usual;
    if (answer !== '') socket.write(`${answer}\r\n`);
    return true;
  }
}
