import { styleText } from 'node:util';

const LEVELS: Record<number, readonly [name: string, color: Parameters<typeof styleText>[0]]> = {
  10: ['TRACE', 'dim'],
  20: ['DEBUG', 'dim'],
  30: ['INFO ', 'green'],
  40: ['WARN ', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'red'],
};

interface LogLine {
  level: number;
  time: string;
  context?: string;
  msg?: string;
  stack?: string;
  [field: string]: unknown;
}

/**
 * Returns a JSON line of the log as text for a terminal: the local time, the level, the context, the message and all other
 * fields as `name=value`. A stack follows on lines of its own.
 */
export function prettyLine(json: string, isColored: boolean): string {
  const { level, time, context, msg, stack, ...fields } = JSON.parse(json) as LogLine;
  const [name, color] = LEVELS[level] ?? [String(level), 'dim'];
  const clock = new Date(time).toLocaleTimeString('en-GB', { hour12: false });
  const milliseconds = time.slice(20, 23);
  const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
    isColored ? styleText(style, text, { validateStream: false }) : text;
  const parts = [
    paint('dim', `${clock}.${milliseconds}`),
    paint(color, name),
    ...(context ? [paint('cyan', context)] : []),
    ...(msg ? [msg] : []),
    ...Object.entries(fields).map(([field, value]) => `${paint('dim', `${field}=`)}${show(value)}`),
  ];
  return `${parts.join(' ')}\n${stack ? `${stack}\n` : ''}`;
}

/** Returns a text without spaces and quotes as it is, and every other value as JSON, so that it stays on one line. */
function show(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}
