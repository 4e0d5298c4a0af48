import { shellQuote } from '../../../../domain/text/shell-quote.ts';

const PLAIN = /^[A-Za-z0-9_/.,:=@%+-]+$/;

/**
 * Builds a command line that every login shell (sh, bash, zsh, csh, fish) passes on to /bin/sh unchanged. Plain words
 * stay as they are; otherwise the line is written in octal numbers.
 */
export function shellCommand(words: readonly string[], shell = '/bin/sh'): string {
  if (words.some((word) => word.includes('\0'))) throw new Error('command line: expected no NUL byte');
  if (words.every((word) => PLAIN.test(word))) return `exec ${shell} ${words.join(' ')}`;
  const text = `exec ${shell} ${words.map(shellQuote).join(' ')}`;
  return `exec /bin/sh -c 'eval "$(printf %b "${octal(text)}")"'`;
}

const octal = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[A-Za-z0-9 _/.,:=@+-]/.test(char) ? char : `\\0${byte.toString(8).padStart(3, '0')}`;
    })
    .join('');
