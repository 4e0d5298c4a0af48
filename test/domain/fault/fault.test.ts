import { describe, expect, test } from 'vitest';
import { failedHost } from '../../../domain/fault/attribute.ts';
import { HOST_FAULTS, hostFaultOf, isFault } from '../../../domain/fault/host-fault.ts';
import { refusalOf } from '../../../domain/fault/refusal.ts';
import { unwrittenMb } from '../../../domain/fault/disk-space.ts';

describe('faults of a host', () => {
  const faultWith = (code: string, more: object = {}): Error =>
    Object.assign(new Error(`it is ${code}`), { code, ...more });
  const all = HOST_FAULTS.map((code) => faultWith(code, { logTail: 'no such package' }));

  test('a host has failed if it is unreachable, unusable or has lost the run', () => {
    expect(all.flatMap((error) => failedHost(error) ?? [])).toEqual([
      'it is host-unreachable',
      'it is host-key',
      'it is host-auth',
      'it is host-config',
      'it is host-unusable',
      'it is run-gone',
    ]);
  });

  test('a task is refused if the host has no sandbox, would show hidden folders, or its setup failed', () => {
    expect(all.flatMap((error) => refusalOf(error) ?? [])).toEqual([
      { why: 'failed', detail: 'it is no-sandbox' },
      { why: 'tools-missing', detail: 'it is cannot-show' },
      { why: 'setup-failed', detail: 'it is setup-failed\nno such package' },
    ]);
    const withoutLog = refusalOf(faultWith('setup-failed', { logTail: '' }));
    const withLongLog = refusalOf(faultWith('setup-failed', { logTail: `${'x'.repeat(2000)}end` }));
    expect(withoutLog?.detail).toBe('it is setup-failed');
    expect(withLongLog?.detail).toBe(`it is setup-failed\n${'x'.repeat(1497)}end`);
  });

  test('errors of the system, of a library or of our code are no faults of a host, nor are other values', () => {
    for (const error of [faultWith('ENOENT'), faultWith('stage'), new Error('ours'), { code: 'run-gone' }, null]) {
      expect([hostFaultOf(error), failedHost(error), refusalOf(error)]).toEqual([null, null, null]);
      expect(isFault(error, 'run-gone')).toBe(false);
    }
  });
});

test('the unwritten space is the sum of the unused disk limits; a run over its limit does not reduce it', () => {
  expect(unwrittenMb([])).toBe(0);
  expect(
    unwrittenMb([
      { diskMb: 100, writtenMb: 30.5 },
      { diskMb: 10, writtenMb: 50 },
    ]),
  ).toBe(70);
});
