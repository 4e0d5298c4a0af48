import { expect, test } from 'vitest';
import { HOST_FAULTS, hostFaultOf } from '../../../domain/fault/host-fault.ts';
import * as errors from '../../../infra/compute/errors.ts';

const RUN = { trialId: 'a/1', placement: 0 };

test('each error of a host carries a code of its own, by which it is known far from here', () => {
  const thrown = [
    new errors.HostUnreachableError('box', 'closed', { message: 'lost' }),
    new errors.HostKeyError('box', 'another key'),
    new errors.HostAuthError('box', 'no key'),
    new errors.HostConfigError('box', 'no alias'),
    new errors.HostUnusableError('box', 'no disk'),
    new errors.RunGoneError('box', { run: RUN, state: 'absent' }),
    new errors.HostGoneError('box', 'not in the fleet'),
    new errors.SlotTakenError('GPU-0'),
    new errors.StageMissingError('s', 'box'),
    new errors.TalkReplacedError('box', RUN),
    new errors.SandboxUnavailableError('none'),
    new errors.CannotShowError('box', {
      folder: '/root/.ssh',
      real: '/root/.ssh',
      why: 'it holds keys',
      ofPath: false,
    }),
    new errors.SetupFailedError('failed', 'why'),
  ];
  expect(thrown.map((error) => hostFaultOf(error)?.code)).toEqual([...HOST_FAULTS]);
});
