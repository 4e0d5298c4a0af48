import { describe, expect, test } from 'vitest';
import { outcomeOfEnd, type ReportedEnd } from '../../../domain/trial/outcome.ts';
import type { Failure } from '../../../domain/trial.ts';

const GOOD: ReportedEnd = { reason: 'exit', exitCode: 0, signal: null, wallSeconds: 3, cpuSeconds: 2.9 };
const outcome = (end: Partial<ReportedEnd>, stop: Failure | null = null) =>
  outcomeOfEnd({ ...GOOD, ...end }, stop, { crash: 'ValueError: no such layer', cpuLimit: '12 s (a limit)' });

describe('the end of a run', () => {
  test('with exit code 0 is no outcome yet, since it may be scored', () => {
    expect(outcome({})).toBeUndefined();
  });

  test.each<[Partial<ReportedEnd>, string, string, RegExp]>([
    [{ exitCode: 3 }, 'crashed', 'exit-code', /^exit code 3: ValueError: no such layer$/],
    [{ exitCode: null, signal: 'SIGSEGV' }, 'crashed', 'signal', /^ended by signal SIGSEGV: ValueError/],
    [{ exitCode: null }, 'crashed', 'exit-code', /exit code unknown/],
    [{ reason: 'wall', wallSeconds: 30.04 }, 'timed_out', 'wall-clock', /after 30 s of wall clock/],
    [
      { reason: 'wall', wallSeconds: 52, waitSeconds: 16.04 },
      'timed_out',
      'wall-clock',
      /after 52 s of wall clock; the time limit does not count 16 s of them, in which other processes kept the run/,
    ],
    [{ reason: 'cpu', cpuSeconds: 12.34 }, 'timed_out', 'cpu-time', /after 12.3 s of CPU; the limit is 12 s \(a /],
    [{ reason: 'memory' }, 'crashed', 'out-of-memory', /run\.resources\.memoryMb/],
    [{ reason: 'processes' }, 'crashed', 'too-many-processes', /run\.resources\.processes/],
    [{ reason: 'output' }, 'crashed', 'output-limit', /run\.resources\.outputMb/],
    [{ reason: 'disk' }, 'crashed', 'disk-limit', /run\.resources\.diskMb/],
    [
      { reason: 'disk', files: { allowed: 5, seen: 7 } },
      'crashed',
      'disk-limit',
      /at most 5 files, .*\(run\.resources\.files\), found 7 or more/,
    ],
    [
      { reason: 'disk', closed: 'work/x' },
      'crashed',
      'disk-limit',
      /can measure them .*; found work\/x without read permission/,
    ],
    [{ reason: 'killed' }, 'aborted', 'stopped-by-operator', /by a person/],
  ])('%j is %s with the label %s', (end, status, label, message) => {
    const bad = outcome(end);
    expect(bad).toMatchObject({ status, failure: { label } });
    expect(bad?.failure.message).toMatch(message);
  });

  test.each<[Failure['label'], string]>([
    ['not-finite', 'diverged'],
    ['diverged', 'diverged'],
    ['stalled', 'diverged'],
    ['disk-limit', 'crashed'],
    ['stopped-by-operator', 'aborted'],
  ])('after the decision %s is %s, however the run ended', (label, status) => {
    const stop = { label, message: 'decided' };
    for (const end of [{}, { reason: 'killed' as const }, { reason: 'wall' as const }, { exitCode: 1 }])
      expect(outcome(end, stop)).toEqual({ status, failure: stop });
  });
});
