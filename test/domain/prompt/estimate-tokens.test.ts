import { expect, test } from 'vitest';
import { estimateTokens } from '../../../domain/search/context/build-messages.ts';

test.each(['', 'a', 'def f(x):\n    return x\n', 'größer', '学习率', '🙂🙂'])(
  '%j is estimated by its bytes',
  (text) => {
    expect(estimateTokens(text)).toBe(Math.ceil(Buffer.byteLength(text) / 3));
  },
);
