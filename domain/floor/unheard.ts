import type { Left } from './left.ts';

/** Characters of what a message said that are told. */
const TOLD = 120;

/** Characters that a count of the others takes, of at most a million. */
const COUNT = '; and 1000000 more'.length;

/** A research's messages that it has not heard, each in a few words, in at most so many characters: of the others their number. */
export function unheardOf(left: Left, room: number): string {
  const words = inWords(left);
  const told: string[] = [];
  for (const word of words) {
    if ([...told, word].join('; ').length > room - COUNT) break;
    told.push(word);
  }
  const others = words.length - told.length + left.dropped;
  return [...told, ...(others > 0 ? [`and ${others} more`] : [])].join('; ');
}

const inWords = ({ paused, stopping, window, messages }: Left): string[] => [
  ...(paused ? ['pause'] : []),
  ...(stopping === null ? [] : [stopping === 'now' ? 'stop at once' : 'stop']),
  ...(window === null ? [] : [`setWindow ${window}`]),
  ...messages.map(({ signal, arg }) => `${signal} ${(JSON.stringify(arg ?? {}) ?? '').slice(0, TOLD)}`),
];
