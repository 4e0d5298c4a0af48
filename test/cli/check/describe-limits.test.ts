import { expect, test } from 'vitest';
import { describeLimits } from '../../../cli/check/describe-limits.ts';

const SANDBOXED = { sandboxed: true, uid: true };

test('a check says that the kernel limits memory and processes if a run has control groups for them', () => {
  expect(describeLimits({ ...SANDBOXED, groups: ['memory', 'processes', 'cpu'] })).toBe(
    'the kernel limits memory and processes by a control group',
  );
});

test('a check says that a run which owns its control group can leave it', () => {
  expect(describeLimits({ sandboxed: false, uid: false, groups: ['memory', 'processes'] })).toMatch(
    /; a run can leave this group$/,
  );
  expect(describeLimits({ sandboxed: false, uid: true, groups: ['memory', 'processes'] })).not.toContain('leave');
});

test('a check says what is only measured without a control group', () => {
  expect(describeLimits({ ...SANDBOXED, groups: ['cpu'] })).toBe(
    'the supervisor measures memory and processes twice a second, and a run can evade that',
  );
  expect(describeLimits({ ...SANDBOXED, groups: ['processes'] })).toBe(
    'the kernel limits processes by a control group; ' +
      'the supervisor measures memory twice a second, and a run can evade that',
  );
});
