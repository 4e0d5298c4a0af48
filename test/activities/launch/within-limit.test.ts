import { expect, test } from 'vitest';
import { withinLimit } from '../../../activities/launch/within-limit.ts';

const hang = (signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('ended')), { once: true }));
const on = (signal = new AbortController().signal) => ({ signal, seconds: 0.001, tooLong: 'it hangs' });

test('work that hangs is ended at its limit, for good', async () => {
  const hanging = withinLimit(on(), ({ signal, onBegin }) => {
    onBegin();
    return hang(signal);
  });
  await expect(hanging).rejects.toMatchObject({ message: 'it hangs', type: 'SetupFailedError', nonRetryable: true });
});

test('work that a person ends, or that fails by itself, ends by its own error', async () => {
  const person = new AbortController();
  const ended = withinLimit({ ...on(person.signal), seconds: 3600 }, ({ signal, onBegin }) => {
    onBegin();
    return hang(signal);
  });
  person.abort();
  await expect(ended).rejects.toThrow('ended');
  await expect(withinLimit(on(), () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');
});
