import { expect, test } from 'vitest';
import { withUnseen } from '../../../activities/launch/set-up.ts';
import { isFault } from '../../../domain/fault/host-fault.ts';
import { refusalOf } from '../../../domain/fault/refusal.ts';
import { HostUnreachableError, SetupFailedError } from '../../../infra/compute.ts';

test('a setup that asks for a mutable file stays a failed setup, and says what to do before its last words', () => {
  const failed = new SetupFailedError('setup command "sh a.sh": exit code 2', 'sh: 0: cannot open a.sh: No such file');
  const told = withUnseen(failed, ['a.sh']);
  expect(isFault(told, 'setup-failed')).toBe(true);
  expect(refusalOf(told)?.detail.split('\n')).toEqual([
    'setup command "sh a.sh": exit code 2',
    expect.stringMatching(/^Setup does not see a\.sh, since /),
    'sh: 0: cannot open a.sh: No such file',
  ]);
});

test('any other failure is left as it is', () => {
  const failed = new SetupFailedError('setup command "sh a.sh": exit code 2', 'no space left');
  const lost = new HostUnreachableError('box', 'closed', { message: 'a.sh: not found' });
  for (const error of [failed, lost]) {
    const { message } = error;
    expect(withUnseen(error, ['b.sh'])).toBe(error);
    expect(error.message).toBe(message);
  }
});
