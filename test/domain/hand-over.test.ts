import { describe, expect, test } from 'vitest';
import { handsOverNow, isTooLarge } from '../../domain/hand-over.ts';

const busy = { quiet: false, inflight: 3, historyLength: 3000, historySize: 2 ** 20 };

describe('a history that should be handed over', () => {
  test('waits for a quiet moment while trials are under way', () => {
    expect(handsOverNow(busy)).toBe(false);
    expect(handsOverNow({ ...busy, quiet: true })).toBe(true);
  });

  test('does not wait where nothing is under way: no end can come in', () => {
    expect(handsOverNow({ ...busy, inflight: 0 })).toBe(true);
  });

  test('is handed over at any price once it has 6,000 events, or 8 MiB of messages', () => {
    expect(handsOverNow({ ...busy, historyLength: 6000 })).toBe(true);
    expect(handsOverNow({ ...busy, historySize: 8 * 2 ** 20 })).toBe(true);
    expect(isTooLarge({ historyLength: 5999, historySize: 8 * 2 ** 20 - 1 })).toBe(false);
  });
});
