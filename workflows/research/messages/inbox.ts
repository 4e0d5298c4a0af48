import { CancellationScope } from '@temporalio/workflow';
import { jsonBytes } from '../../../domain/json/json-bytes.ts';

/** Letters that are worked on together at most, and their bytes as JSON. */
const LETTERS = 100;
const BYTES = 256 * 1024;

/** What is done with letters of one kind that waited in a row. */
export type BatchHandler<T> = (letters: readonly T[]) => Promise<void>;

interface Waiting {
  work: BatchHandler<unknown>;
  letter: unknown;
  bytes: number;
}

/** Names a kind of letters by what is done with them; what it returns puts one in and resolves when all that waits is done. */
export type Inbox = <T>(work: BatchHandler<T>) => (letter: T) => Promise<void>;

/**
 * Letters are worked on in the order in which they came; of those that wait, some of one kind in a row together. Thousands may
 * come within one workflow task, after hours without a worker, and it has ten or twenty seconds: a letter is a place in a list and no
 * promise of its own, which costs the SDK a tenth of a millisecond. A cancel of the research stops no work.
 */
export function createInbox(afterwards: () => void): Inbox {
  const waiting: Waiting[] = [];
  let working: Promise<void> | null = null;
  const workOff = async (): Promise<void> => {
    try {
      for (let batch = takeBatch(waiting); batch !== null; batch = takeBatch(waiting)) await batch.work(batch.letters);
    } finally {
      working = null;
      afterwards();
    }
  };
  return (work) => (letter) => {
    waiting.push({ work: work as BatchHandler<unknown>, letter, bytes: jsonBytes(letter) });
    return (working ??= CancellationScope.nonCancellable(workOff));
  };
}

function takeBatch(waiting: Waiting[]): { work: BatchHandler<unknown>; letters: unknown[] } | null {
  const [first] = waiting;
  if (!first) return null;
  let bytes = 0;
  const end = waiting.findIndex((each, at) => {
    bytes += each.bytes;
    return at > 0 && (each.work !== first.work || at >= LETTERS || bytes > BYTES);
  });
  const batch = waiting.splice(0, end < 0 ? waiting.length : end);
  return { work: first.work, letters: batch.map(({ letter }) => letter) };
}
