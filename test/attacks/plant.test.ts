import { expect, test } from 'vitest';
import { PLANT } from '../../domain/attack/attacks/plant.ts';
import { ATTACK_LINE_PREFIX, scriptOf } from '../../domain/attack/script.ts';
import {
  confinements,
  PROCESS_GROUP,
  type Confinement,
} from '../../infra/compute/run-protocol/confinement/confinement.ts';
import { shellQuote } from '../../domain/text/shell-quote.ts';
import { isRoot, NOBODY, supervise } from '../infra/compute/supervisor/supervise.ts';

const [sandbox] = confinements(false, true);
const script = scriptOf('plant', PLANT.acts({ mark: 'left-by-an-attack' } as Parameters<typeof PLANT.acts>[0]));

/** Runs the attack as an ordinary user, in a folder under /tmp. */
const plant = (confinement: Confinement) =>
  supervise(
    { shell: ['sh'], confinement, uid: null, ...(isRoot ? { user: NOBODY } : {}) },
    `sh -c ${shellQuote(script)} attack end`,
  );

test('a sandboxed run under /tmp does not reach a file beside its folder', async ({ skip }) => {
  const { end, output } = await plant(sandbox ?? PROCESS_GROUP);
  skip(!end?.sandboxed, `no sandbox here: ${output}`);
  expect(output).toBe(`${ATTACK_LINE_PREFIX}tried plant\n`);
});

test('a run without a sandbox reaches a file beside its folder', async () => {
  expect((await plant(PROCESS_GROUP)).output).toContain(`${ATTACK_LINE_PREFIX}reached a file in ..\n`);
});
