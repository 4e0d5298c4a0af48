import { asObject } from './protocol.ts';

/** Longest line that may be an event of usage; a longer one passes in pieces. */
const LONGEST_LINE = 1024 * 1024;

/** Removes the event of usage from a stream of Chat Completions, as its bytes pass. */
export interface UsageFilter {
  feed: (bytes: Uint8Array) => string;
  /** The text that was kept back. */
  end: () => string;
}

/**
 * Makes the filter of one stream, for a caller that did not ask for usage: an event without choices would be an error
 * to some clients. The filter keeps back at most one line.
 */
export function createUsageFilter(): UsageFilter {
  const decoder = new TextDecoder();
  let partial = '';
  let dropsEmptyLine = false;
  const take = (line: string): string => {
    if (isUsage(line)) {
      dropsEmptyLine = true;
      return '';
    }
    const isDropped = dropsEmptyLine && line.trim() === '';
    dropsEmptyLine = false;
    return isDropped ? '' : line;
  };
  const feed = (text: string): string => {
    const lines = (partial + text).split(/(?<=\n)/);
    partial = lines.at(-1)?.endsWith('\n') === false ? lines.pop()! : '';
    let passed = lines.map(take).join('');
    if (partial.length > LONGEST_LINE) {
      passed += partial;
      partial = '';
    }
    return passed;
  };
  return {
    feed: (bytes) => feed(decoder.decode(bytes, { stream: true })),
    end: () => feed(decoder.decode()) + take(partial),
  };
}

function isUsage(line: string): boolean {
  if (!line.startsWith('data:') || !line.includes('"usage"')) return false;
  try {
    const event = asObject(JSON.parse(line.slice(5)));
    return Array.isArray(event?.choices) && event.choices.length === 0 && asObject(event.usage) !== null;
  } catch {
    return false;
  }
}
