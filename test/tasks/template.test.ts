import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { applyEdits } from '../../domain/edit/apply-edits.ts';
import { turnKnob } from '../../domain/search/proposer/turn-knob.ts';
import { loadTask } from '../../tasks/load.ts';

const template = fileURLToPath(new URL('../../tasks/template', import.meta.url));

it('the template loads, and every knob can be turned', async () => {
  const { task, mutablePaths, workspace } = await loadTask(template);
  const text = Buffer.from(workspace.find(({ path }) => path === 'fit.mjs')?.content ?? []).toString();
  const turned = new Set<string>();
  for (let seed = 0; seed < 100; seed += 1) {
    const proposal = turnKnob({ knobs: task.knobs, files: { 'fit.mjs': text }, seed });
    if (!proposal.ok) expect.unreachable(proposal.reason);
    expect(applyEdits({ 'fit.mjs': text }, proposal.edits, mutablePaths)).toMatchObject({ ok: true });
    turned.add(proposal.hypothesis.split(' ')[0] ?? '');
  }
  expect([...turned].sort()).toEqual(task.knobs.map(({ name }) => name).sort());
});

it('the template runs, is scored, and refuses invalid artefacts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'template-'));
  try {
    await cp(template, folder, { recursive: true });
    const workspace = join(folder, 'workspace');
    const run = spawnSync('sh', ['-c', 'node fit.mjs'], {
      cwd: workspace,
      env: { ...process.env, PERPETUA_SEED: '5' },
    });
    expect(run.stdout.toString()).toMatch(/^step 400 loss 0\.\d+$/m);
    const evaluator = join(folder, 'evaluator');
    await mkdir(join(evaluator, 'artefacts'));
    await cp(join(workspace, 'model.json'), join(evaluator, 'artefacts/model.json'));
    const score = (): ReturnType<typeof spawnSync> =>
      spawnSync('node', ['score.mjs'], { cwd: evaluator, env: { ...process.env, PERPETUA_RESULT_FD: '1' } });
    const { error } = JSON.parse(score().stdout.toString()) as { error: number };
    expect(error).toBeGreaterThan(0.2);
    expect(error).toBeLessThan(0.8);
    await cp(join(folder, 'prompt.md'), join(evaluator, 'artefacts/model.json'));
    // Exit code 3 blames the candidate.
    expect(score().status).toBe(3);
    for (const unsound of [
      'null',
      '{"basis": "power", "weights": [1, null]}',
      '{"basis": "sine", "weights": [1]}',
      `{"basis": "power", "weights": [${'9'.repeat(400)}]}`,
    ]) {
      await writeFile(join(evaluator, 'artefacts/model.json'), unsound);
      const { status, stderr } = score();
      expect(status).toBe(3);
      expect(stderr.toString()).toContain('expected { basis: power or chebyshev, weights: 1 to 64 finite numbers }');
    }
    await writeFile(join(evaluator, 'artefacts/model.json'), '{"basis": "power", "weights": [1e308, 1e308]}');
    expect(score()).toMatchObject({ status: 3, stdout: Buffer.from('') });
    await writeFile(join(evaluator, 'artefacts/model.json'), '['.repeat(200_000));
    expect(score().status).toBe(3);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

const { task, mutablePaths, workspace, environmentFiles = [] } = await loadTask('tasks/template-python');

it('every knob of the task in Python can be turned', () => {
  const text = Buffer.from(workspace.find(({ path }) => path === 'train.py')?.content ?? []).toString();
  const turned = new Set<string>();
  for (let seed = 0; seed < 100; seed += 1) {
    const proposal = turnKnob({ knobs: task.knobs, files: { 'train.py': text }, seed });
    if (!proposal.ok) expect.unreachable(proposal.reason);
    expect(applyEdits({ 'train.py': text }, proposal.edits, mutablePaths)).toMatchObject({ ok: true });
    turned.add(proposal.hypothesis.split(' ')[0] ?? '');
  }
  expect([...turned].sort()).toEqual(task.knobs.map(({ name }) => name).sort());
});

it('its lock has only numpy in one version, with hashes for four Pythons on two kinds of machines', () => {
  const lock = Buffer.from(environmentFiles.find(({ path }) => path === 'requirements.lock')?.content ?? []).toString();
  expect(lock.match(/^\w\S*/gm)).toEqual(['numpy==2.2.6']);
  expect(new Set(lock.match(/--hash=sha256:[0-9a-f]{64}\b/g)).size).toBe(8);
});
