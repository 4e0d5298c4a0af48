import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { PICKLE } from '../../../../domain/attack/attacks/pickle.ts';
import type { Target } from '../../../../domain/attack/attack.ts';
import { TASK } from '../../../cli/support/lineage.ts';

const folder = mkdtempSync(join(tmpdir(), 'perpetua-pickle-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hasPython = spawnSync('python3', ['-c', '']).status === 0;
const inPython = (code: string) => spawnSync('python3', ['-c', code], { cwd: folder, encoding: 'latin1' });

/** Lets the attack rewrite the artefact, as its run does. */
function forge(): void {
  const target = { task: { ...TASK, run: { ...TASK.run, artefacts: [{ path: 'out.bin', maxMb: 1 }] } } } as Target;
  const acts = PICKLE.acts(target);
  const end = 'end' in acts ? acts.end : undefined;
  const { status, stderr } = spawnSync('sh', ['-c', `need() { :; }\n${end}`], { cwd: folder, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
}

const read = (): string => readFileSync(join(folder, 'out.bin'), 'latin1');

test.skipIf(!hasPython).each(['', 'MDL1', '\\x80\\x02\\xff'])(
  'the hostile pickle stands where the honest one stood, behind the header %j',
  (header) => {
    inPython(`import pickle; open("out.bin", "wb").write(b"${header}" + pickle.dumps([1.5, 2.5]))`);
    const before = read();
    const start =
      before.length - inPython('import pickle, sys; sys.stdout.buffer.write(pickle.dumps([1.5, 2.5]))').stdout.length;
    forge();
    expect(read().slice(0, start)).toBe(before.slice(0, start));
    expect(read().slice(start)).toContain('exec');
  },
);

test.skipIf(!hasPython)('the hostile pickle replaces an artefact without a pickle', () => {
  writeFileSync(join(folder, 'out.bin'), '{"guess": 1}');
  forge();
  expect(read()).not.toContain('guess');
  expect(read()).toContain('exec');
});
