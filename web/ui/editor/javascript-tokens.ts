import { StreamLanguage, type StringStream } from '@codemirror/language';

const KEYWORDS = new Set(
  (
    'async await break case catch class const continue default delete do else finally for function if in instanceof ' +
    'let new of return static super switch this throw try typeof var void while yield'
  ).split(' '),
);
const ATOMS: Readonly<Record<string, string>> = { true: 'bool', false: 'bool', null: 'null' };

/** Holds the token that is open at the end of a line: a comment, or a text in backquotes. */
interface State {
  open: '' | '*/' | '`';
}

/**
 * Colours JavaScript. It recognizes texts, comments, numbers and keywords. It finds no faults, because the service
 * checks the code. A parser of the complete language would make this part of the page three times as large.
 */
export const javascriptTokens = StreamLanguage.define<State>({
  name: 'javascript',
  startState: () => ({ open: '' }),
  token: (stream, state) => nextToken(stream, state),
  languageData: { commentTokens: { line: '//' }, closeBrackets: { brackets: ['(', '[', '{'] } },
});

/** Reads the next token, and returns the name of its colour or null. */
export function nextToken(stream: StringStream, state: State): string | null {
  if (state.open === '*/') return skipTo(stream, state, '*/', 'comment');
  if (state.open === '`') return skipTo(stream, state, '`', 'string');
  if (stream.eatSpace()) return null;
  if (stream.match('//')) {
    stream.skipToEnd();
    return 'comment';
  }
  if (stream.match('/*')) return skipTo(stream, state, '*/', 'comment');
  if (stream.match('`')) return skipTo(stream, state, '`', 'string');
  const quote = stream.match(/^['"]/);
  if (Array.isArray(quote))
    return skipTo(stream, { open: '' }, quote[0] === '"' ? '"' : "'", 'string');
  if (stream.match(/^\d[\w.]*/)) return 'number';
  const word = stream.match(/^[\p{L}_$][\p{L}\d_$]*/u);
  if (!Array.isArray(word)) {
    stream.next();
    return null;
  }
  const [name = ''] = word;
  return KEYWORDS.has(name) ? 'keyword' : (ATOMS[name] ?? null);
}

/** Skips past `end`, or to the end of the line, where a text in single or double quotes also ends. */
function skipTo(
  stream: StringStream,
  state: { open: string },
  end: string,
  colour: string,
): string {
  while (!stream.eol()) {
    if (stream.match(end)) {
      state.open = '';
      return colour;
    }
    if (stream.next() === '\\' && end !== '*/') stream.next();
  }
  if (end === '*/' || end === '`') state.open = end;
  return colour;
}
