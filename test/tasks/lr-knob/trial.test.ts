import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { improvementOf, TASK, trained } from '../../../bench/tasks/lr-knob/calibration.ts';
import { applyEdits } from '../../../domain/edit/apply-edits.ts';
import { readKnobAnswer } from '../../../domain/edit/knob-answer.ts';
import { knobText } from '../../../domain/prompt/knob-text.ts';
import { contradictions } from '../../../domain/task/contradictions.ts';
import { loadTask } from '../../../tasks/load.ts';

const folder = await mkdtemp(join(tmpdir(), 'lr-knob-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const { task, prompt, mutablePaths, workspace } = await loadTask(TASK);
const original = Buffer.from(workspace.find(({ path }) => path === 'knobs.mjs')?.content ?? []).toString();

/** Copies the task with the knobs that the answer sets. Returns the folder. */
async function candidate(name: string, answer: string): Promise<string> {
  const at = join(folder, name);
  await cp(TASK, at, { recursive: true });
  const read = readKnobAnswer(answer, { knobs: task.knobs, files: { 'knobs.mjs': original } });
  if (!read.ok) return expect.unreachable(read.reason);
  const applied = applyEdits({ 'knobs.mjs': original }, read.edits, mutablePaths);
  if (!applied.ok) return expect.unreachable(applied.reason);
  await writeFile(join(at, 'workspace/knobs.mjs'), applied.files['knobs.mjs'] ?? '');
  return at;
}

const run = (at: string) =>
  spawnSync('sh', ['-c', task.run.command], {
    cwd: join(at, 'workspace'),
    env: { ...process.env, PERPETUA_SEED: '7' },
    encoding: 'utf8',
  });

/** Runs the evaluator on a `network.json` with this content. */
async function score(at: string, network: string) {
  await mkdir(join(at, 'evaluator/artefacts'), { recursive: true });
  await writeFile(join(at, 'evaluator/artefacts/network.json'), network);
  const env = { ...process.env, PERPETUA_RESULT_FD: '1' };
  return spawnSync('node', ['score.mjs'], { cwd: join(at, 'evaluator'), env, encoding: 'utf8' });
}

test('a run with an answer of a model is scored as the same training in this process', async () => {
  const at = await candidate('scored', 'lr = 0.2');
  expect(run(at).status).toBe(0);
  const { stdout, status } = await score(at, await readFile(join(at, 'workspace/network.json'), 'utf8'));
  const here = improvementOf(trained({ lr: 0.2 }, 7)[6] ?? []);
  expect([status, JSON.parse(stdout)]).toEqual([0, { improvement: here }]);
  expect(here).toBeGreaterThan(0.3);
});

test('the value of the unmodified version is a candidate of its own', async () => {
  const at = await candidate('same', 'lr = 0.01');
  expect(await readFile(join(at, 'workspace/knobs.mjs'), 'utf8')).not.toBe(original);
});

test('a run that diverges fails with a message, and leaves no artefact', async () => {
  const at = await candidate('diverged', 'lr = 10');
  const { status, stderr } = run(at);
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^diverged after \d+ steps: .*a smaller lr may hold it\n$/),
  ]);
  await expect(readFile(join(at, 'workspace/network.json'))).rejects.toThrow('ENOENT');
});

test.each([
  ['no JSON', 'NaN'],
  ['no array', '{"parameters": []}'],
  ['null', 'null'],
  ['too few numbers', '[1, 2]'],
  ['a null among the numbers', JSON.stringify(Array.from({ length: 31 }, (_, i) => (i === 3 ? null : 0)))],
])('the evaluator refuses %s as the fault of the candidate', async (_, network) => {
  const at = await candidate('refused', 'lr = 1');
  const { status, stdout, stderr } = await score(at, network);
  expect([status, stdout, stderr]).toEqual([3, '', expect.stringMatching(/^expected /)]);
});

test('a very bad network is worth −1 and no less', async () => {
  const at = await candidate('off', 'lr = 1');
  const { stdout } = await score(at, JSON.stringify(Array.from({ length: 31 }, () => 1e3)));
  expect(JSON.parse(stdout)).toEqual({ improvement: -1 });
});

test('the task has no contradictions, and its prompt has no number to copy', () => {
  expect(contradictions(task)).toEqual([]);
  const input = { task, prompt, knobs: task.knobs, history: [], notes: [] };
  expect(knobText(input).text).not.toMatch(/\d/);
});
