/** Completions that are shown. A method asks for one more, which shows that there are more. */
export const MOST_COMPLETIONS = 100;
