import { describe, expect, test } from 'vitest';
import { addMutableFileAdvice } from '../../../activities/launch/run-setup.ts';
import { isFault } from '../../../domain/fault/host-fault.ts';
import { refusalOf } from '../../../domain/fault/refusal.ts';
import { HostUnreachableError, SetupFailedError } from '../../../infra/compute.ts';
import { withTimeLimit } from '../../../activities/launch/with-time-limit.ts';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { loadLaunchableJob } from '../../../activities/launch/launchable-job.ts';
import type { JobSpec } from '../../../domain/job.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

describe('a setup that asks for mutable files', () => {
  test('a setup that asks for a mutable file stays a failed setup, and says what to do before its last words', () => {
    const failed = new SetupFailedError(
      'setup command "sh a.sh": exit code 2',
      'sh: 0: cannot open a.sh: No such file',
    );
    const advised = addMutableFileAdvice(failed, ['a.sh']);
    expect(isFault(advised, 'setup-failed')).toBe(true);
    expect(refusalOf(advised)?.detail.split('\n')).toEqual([
      'setup command "sh a.sh": exit code 2',
      expect.stringMatching(/^Setup cannot read a\.sh, since /),
      'sh: 0: cannot open a.sh: No such file',
    ]);
  });

  test('any other failure is left as it is', () => {
    const failed = new SetupFailedError('setup command "sh a.sh": exit code 2', 'no space left');
    const lost = new HostUnreachableError('box', 'closed', { message: 'a.sh: not found' });
    for (const error of [failed, lost]) {
      const { message } = error;
      expect(addMutableFileAdvice(error, ['b.sh'])).toBe(error);
      expect(error.message).toBe(message);
    }
  });
});

describe('a limit of time', () => {
  const hang = (signal: AbortSignal): Promise<void> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('ended')), { once: true }));
  const limit = (signal = new AbortController().signal) => ({ signal, seconds: 0.001, tooLong: 'it hangs' });

  test('work that hangs is ended at its limit, for good', async () => {
    const hanging = withTimeLimit(limit(), ({ signal, onBegin }) => {
      onBegin();
      return hang(signal);
    });
    await expect(hanging).rejects.toMatchObject({ message: 'it hangs', type: 'SetupFailedError', nonRetryable: true });
  });

  test('work that a person ends, or that fails by itself, ends by its own error', async () => {
    const person = new AbortController();
    const ended = withTimeLimit({ ...limit(person.signal), seconds: 3600 }, ({ signal, onBegin }) => {
      onBegin();
      return hang(signal);
    });
    person.abort();
    await expect(ended).rejects.toThrow('ended');
    await expect(withTimeLimit(limit(), () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');
  });
});

describe('what is launched', () => {
  const bench = useDatabase();

  test('a job of a shape that a newer version stored is not launched, though it has a command', async () => {
    await insertResearch(bench.db, 'toy');
    const [taskHash = null] = [(await bench.store.research.findResearch('toy'))?.taskHash];
    const open = (id: string, spec: object) =>
      bench.store.job.openJob({
        id,
        kind: 'command',
        taskHash,
        pool: 'local',
        priority: 3,
        spec: spec as JobSpec,
      });
    await open('command/toy/known', { shape: 'to-an-end', command: 'true' });
    await open('command/toy/newer', { shape: 'by-the-hour', command: 'true' });
    const deps = { store: bench.store } as unknown as ActivityDeps;
    expect(await loadLaunchableJob(deps, 'command/toy/known')).toMatchObject({ pool: 'local', ended: null });
    await expect(loadLaunchableJob(deps, 'command/toy/newer')).rejects.toMatchObject({
      name: 'UnknownMethod',
      axis: 'job.shape',
      value: 'by-the-hour',
    });
  });
});
