import { expect, test } from 'vitest';
import { describeTransfer } from '../../../domain/text/transfer.ts';

test('a transfer has its size, the whole size if it is known, and its mean rate', () => {
  expect(describeTransfer({ bytes: 512e6, total: 3100e6, seconds: 20 })).toBe('512 of 3100 MB, 25.6 MB/s');
  expect(describeTransfer({ bytes: 4.8e6, seconds: 2 })).toBe('5 MB so far, 2.4 MB/s');
  expect(describeTransfer({ bytes: 2e9, seconds: 10 })).toBe('2000 MB so far, 200 MB/s');
});

test('a transfer that has just begun has no rate yet', () => {
  expect(describeTransfer({ bytes: 0, seconds: 30 })).toBe('0 MB so far');
  expect(describeTransfer({ bytes: 5e6, total: 1e7, seconds: 0.2 })).toBe('5 of 10 MB');
});
