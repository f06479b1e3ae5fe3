import { installPackage } from '../install-package.mjs';

installPackage(import.meta.dirname);

/** Counts the tokens (o200k_base) of a text. The first import installs the tokenizer. */
export const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
