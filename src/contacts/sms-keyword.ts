export type SmsKeyword = 'stop' | 'start' | 'help';

/**
 * The words with which people answer a text message, without spaces and accents. The English words are the keywords of
 * providers such as Twilio. Only YES is left out, because people use it to answer other questions too.
 */
const WORDS: Readonly<Record<SmsKeyword, readonly string[]>> = {
  stop: [
    'STOP',
    'STOPALL',
    'UNSUBSCRIBE',
    'CANCEL',
    'END',
    'QUIT',
    'REVOKE',
    'OPTOUT',
    'STOPP',
    'ABMELDEN',
    'ARRET',
    'DESABONNER',
    'ALTO',
    'PARAR',
    'BAJA',
    'CANCELAR',
    'SAIR',
  ],
  start: ['START', 'UNSTOP', 'OPTIN', 'ANMELDEN', 'ABONNER', 'COMENZAR', 'ALTA', 'INICIAR'],
  help: ['HELP', 'INFO', 'HILFE', 'AIDE', 'AYUDA', 'AJUDA'],
};
const KEYWORDS = new Map(
  (Object.entries(WORDS) as [SmsKeyword, readonly string[]][]).flatMap(([keyword, words]) =>
    words.map((word) => [word, keyword] as const),
  ),
);
const LONGEST = 40;

/**
 * Returns the keyword if a text message consists of one of its words, and undefined otherwise. Case, spaces, accents
 * and quotation marks around the word do not count.
 */
export function smsKeywordOf(text: string): SmsKeyword | undefined {
  if (text.length > LONGEST) return undefined;
  const word = text
    .normalize('NFKD')
    .replace(/[\s\p{M}\p{Cf}]+/gu, '')
    .replace(/^["'«»“”]+|["'«»“”.!]+$/gu, '')
    .toUpperCase();
  return KEYWORDS.get(word);
}
