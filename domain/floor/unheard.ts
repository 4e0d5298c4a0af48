import type { Left } from './left.ts';

/** Characters of what a message said that are told. */
const TOLD = 120;

/** What a research was told and has not heard, each in a few words. */
export function unheardOf({ paused, stopping, window, messages, dropped }: Left): string[] {
  return [
    ...(paused ? ['pause'] : []),
    ...(stopping === null ? [] : [stopping === 'now' ? 'stop at once' : 'stop']),
    ...(window === null ? [] : [`setWindow ${window}`]),
    ...messages.map(({ signal, arg }) => `${signal} ${(JSON.stringify(arg ?? {}) ?? '').slice(0, TOLD)}`),
    ...(dropped > 0 ? [`${dropped} more`] : []),
  ];
}
