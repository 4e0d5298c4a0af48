import { describe, expect, test } from 'vitest';
import {
  shouldContinueAsNew,
  isWorkflowRunLongEnough,
  isHistoryTooLarge,
  isHistoryFull,
} from '../../../domain/research/continue-as-new.ts';

const busy = { quiet: false, inflight: 3, historyLength: 3000, historySize: 2 ** 20 };

describe('a workflow run of a research', () => {
  test('should continue as new after 500 trials, 2,000 events or a day, whichever comes first', () => {
    const day = 24 * 3_600_000;
    expect(isWorkflowRunLongEnough({ trials: 499, ms: day - 1, events: 1999 })).toBe(false);
    expect(isWorkflowRunLongEnough({ trials: 500, ms: 0, events: 0 })).toBe(true);
    expect(isWorkflowRunLongEnough({ trials: 0, ms: day, events: 0 })).toBe(true);
    expect(isWorkflowRunLongEnough({ trials: 0, ms: 0, events: 2000 })).toBe(true);
  });
});

describe('continue-as-new', () => {
  test('waits for a quiet moment while trials are under way', () => {
    expect(shouldContinueAsNew(busy)).toBe(false);
    expect(shouldContinueAsNew({ ...busy, quiet: true })).toBe(true);
  });

  test('does not wait if no trial is under way, since no end can arrive', () => {
    expect(shouldContinueAsNew({ ...busy, inflight: 0 })).toBe(true);
  });

  test('is forced once the history has 6,000 events or 8 MiB', () => {
    expect(shouldContinueAsNew({ ...busy, historyLength: 6000 })).toBe(true);
    expect(shouldContinueAsNew({ ...busy, historySize: 8 * 2 ** 20 })).toBe(true);
    expect(isHistoryTooLarge({ historyLength: 5999, historySize: 8 * 2 ** 20 - 1 })).toBe(false);
  });
});

test('a history counts as full long before it reaches the limits of the server, 51,200 events or 50 MiB', () => {
  const room = { historyLength: 39_999, historySize: 40 * 2 ** 20 - 1 };
  expect(isHistoryFull(room)).toBe(false);
  expect(isHistoryFull({ ...room, historyLength: 40_000 })).toBe(true);
  expect(isHistoryFull({ ...room, historySize: 40 * 2 ** 20 })).toBe(true);
});
