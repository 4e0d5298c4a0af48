import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Conversation, HostUnreachableError } from '../../../../infra/compute.ts';
import { createEvaluator } from '../../../../infra/evaluate/create-evaluator.ts';
import { noSshd, type Sshd } from '../../../support/machine/sshd.ts';
import { bytes, followToEnd, specOf } from '../conformance/support.ts';
import { testHosts } from './support/hosts.ts';
import { signalAll } from '../../../support/process/signal.ts';
import { RUNTIME } from '../../evaluate/runtime.ts';

const { start, connect } = testHosts();
const home = mkdtempSync(join(tmpdir(), 'perpetua-scored-'));
afterAll(() => rmSync(home, { recursive: true }));

const never = new AbortController().signal;
// This evaluator blames the candidate if its answers end or never come.
const EVALUATOR = 'echo 1; read -r line && echo 2 && read -r line || exit 3; echo \'{"sum": 1}\' >&3';

/** Scores a run on a host. After each piece of output of the answering program, `hurt` acts on the connection. */
async function score(
  hurt: (sshd: Sshd, again: () => Promise<Conversation>) => unknown,
  answer: string,
  { aliveSeconds = 30, roundSeconds = 30 } = {},
) {
  const sshd = await start();
  const compute = connect(sshd, { aliveSeconds });
  await compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]);
  const spec = specOf('true');
  await compute.launch(spec);
  await followToEnd(compute, spec);
  const talk = await compute.converse({ ...spec, command: answer });
  const { output } = talk;
  const hurting = async function* () {
    for await (const chunk of output) {
      yield chunk;
      await hurt(sshd, () => compute.converse({ ...spec, command: 'exit 0' }));
    }
  };
  return createEvaluator({ home }).evaluate(
    {
      files: [],
      command: EVALUATOR,
      timeoutSeconds: 60,
      seed: 1,
      artefacts: [],
      runtime: RUNTIME,
      conversation: { ...talk, output: hurting() },
      limits: { roundSeconds, lineBytes: 1000, totalBytes: 1000 },
    },
    never,
  );
}

const ONCE = 'read -r n; echo one; sleep 4850';

describe.skipIf(noSshd !== undefined)(`scoring over a connection ${noSshd ?? ''}`, () => {
  it.each([
    ['is cut', {}, (sshd: Sshd) => sshd.cut()],
    ['stands still', { aliveSeconds: 0.5 }, (sshd: Sshd) => signalAll(sshd.sessions(), 'SIGSTOP')],
  ])("that %s is the host's fault, whatever the evaluator reports", async (_, patience, hurt) => {
    await expect(score(hurt, ONCE, patience)).rejects.toBeInstanceOf(HostUnreachableError);
  });

  it.each([
    [
      'another worker begins another conversation',
      'ConversationReplacedError',
      (_: Sshd, again: () => Promise<Conversation>) => again(),
    ],
    [
      'somebody removes its folder',
      'RunGoneError',
      (sshd: Sshd) => rm(join(sshd.home, '.perpetua-host/runs'), { recursive: true, maxRetries: 20, retryDelay: 50 }),
    ],
  ])('does not blame the candidate if %s', async (_, name, hurt) => {
    await expect(score(hurt, ONCE)).rejects.toMatchObject({ name });
  });

  it('that is sound blames the candidate for its own faults', async () => {
    const limit = await score(() => undefined, ONCE, { roundSeconds: 5 });
    expect(limit).toMatchObject({ ok: false, failure: { label: 'candidate-protocol' } });
    const exited = await score(() => undefined, 'read -r n; echo one; exit 7');
    expect(exited).toMatchObject({ ok: false, failure: { label: 'candidate-protocol' } });
  });
});
