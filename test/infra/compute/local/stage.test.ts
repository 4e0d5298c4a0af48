import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { attemptOf, layoutOf, runDirectory } from '../../../../infra/compute/run-protocol/paths.ts';
import { createLocalCompute } from '../../../../infra/compute/local.ts';
import { listNames } from '../../../../infra/files.ts';
import { bytes, followToEnd, specOf } from '../conformance/support.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-stage-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const compute = createLocalCompute({ home, installation: 'stage-tests' });
const layout = layoutOf(home, 'stage-tests');

it('a stage stays if a sweep removes the copy that a launch is making of it', async () => {
  const files = Array.from({ length: 2000 }, (_, n) => ({ path: `f${n}`, content: bytes('x') }));
  await compute.stage('whole', files);
  const spec = specOf('true', { stageHash: 'whole' });
  const launched = compute.launch(spec).catch((error: unknown) => error);
  const runDir = runDirectory(layout, spec);
  let copy: string | undefined;
  while (copy === undefined) copy = (await listNames(runDir)).find((name) => name.startsWith('.tmp-'));
  // The copy is moved while files are copied: earlier, the launch would create the missing folders again.
  while ((await listNames(join(runDir, copy, 'work'))).length === 0);
  renameSync(join(runDir, copy), join(home, 'taken'));
  expect(await launched).toMatchObject({ code: 'ENOENT' });
  expect(await compute.isStaged('whole')).toBe(true);
  await compute.launch(spec);
  expect((await followToEnd(compute, spec)).end).toMatchObject({ exitCode: 0 });
});

it('a damaged stage stays while a run of an older version may have been made from it', async () => {
  await compute.stage('old-one', [{ path: 'main.txt', content: bytes('x') }]);
  const spec = specOf('true', { stageHash: 'old-one' });
  await compute.launch(spec);
  await followToEnd(compute, spec);
  const file = join(attemptOf(runDirectory(layout, spec), spec.fence).directory, 'run.json');
  const { stageId, ...older } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const folder = join(layout.stages, 'old-one');
  expect(stageId).toBe(readFileSync(join(folder, 'stage-id'), 'utf8').trim());
  writeFileSync(file, JSON.stringify(older));
  renameSync(folder, join(layout.stages, '.damaged-7-old-one'));
  const aside = (): string[] => readdirSync(layout.stages).filter((name) => name.startsWith('.damaged-'));
  await compute.sweep({ keep: [spec], olderThanSeconds: 0, dryRun: false });
  expect(aside()).toEqual(['.damaged-7-old-one']);
  await compute.sweep({ keep: [], olderThanSeconds: 0, dryRun: false });
  expect(aside()).toEqual([]);
});
