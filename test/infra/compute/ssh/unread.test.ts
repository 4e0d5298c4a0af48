import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { createEvaluator } from '../../../../infra/evaluate/create-evaluator.ts';
import { noSshd } from '../../../support/machine/sshd.ts';
import { bytes, followToEnd, LIMITS, never, specOf } from '../conformance/support.ts';
import { testHosts } from './support/hosts.ts';
import { boxes } from './support/stepped.ts';
import { RUNTIME } from '../../evaluate/runtime.ts';

const box = boxes(testHosts());
const base = mkdtempSync(join(tmpdir(), 'perpetua-unread-'));
const home = join(base, 'home');
/** Folder that the evaluator sees in its sandbox. */
const signals = join(base, 'signals');
for (const folder of [home, signals]) mkdirSync(folder);
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe.skipIf(noSshd !== undefined)(`a conversation whose answers nobody reads ${noSshd ?? ''}`, () => {
  it('ends and frees its channel if its connection is cut', async () => {
    const { sshd, compute } = await box();
    const spec = specOf('true', { sandbox: 'none' });
    await compute.launch(spec);
    await followToEnd(compute, spec);
    // More conversations than a connection has channels for.
    for (let times = 0; times < 4; times += 1) {
      const conversation = await compute.converse({ ...spec, limits: LIMITS, command: 'yes 12345678' });
      const isCut = join(signals, `cut-${times}`);
      const deaf = `until [ -e ${isCut} ]; do sleep .1; done; sleep 1.5; echo '{"sum": 1}' >&3\n`;
      const evaluated = createEvaluator({ home }).evaluate(
        {
          files: [{ path: 'deaf.sh', content: bytes(deaf) }],
          command: 'sh deaf.sh',
          readable: [signals],
          timeoutSeconds: 60,
          seed: 7,
          artefacts: [],
          runtime: RUNTIME,
          conversation,
          limits: { roundSeconds: 60, lineBytes: 1000, totalBytes: 1e9 },
        },
        never,
      );
      await sleep(1500);
      sshd.cut();
      writeFileSync(isCut, '');
      await expect(evaluated).rejects.toMatchObject({ name: 'HostUnreachableError' });
    }
  });
});
