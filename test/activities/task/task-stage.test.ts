import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { stageOf, taskSecret, loadStageFiles } from '../../../activities/task/task-stage.ts';
import type { DrawSpec } from '../../../infra/evaluate.ts';
import { TASK } from '../../cli/support/lineage.ts';

const bytes = (text: string) => Buffer.from(text);
const drawing = (name: string) => ({
  ...TASK,
  name,
  evaluator: { ...ARTEFACT, draws: [{ path: 'corpus.txt', command: 'make' }] },
});
const ARTEFACT = { type: 'artefact' as const, command: 'score', files: 'evaluator', timeoutSeconds: 60 };

/** An installation with a secret of its own. */
function installation(secret: string) {
  const hmac = (text: string) => createHash('sha256').update(`${secret}\n${text}`).digest('hex');
  const draw = ({ files, command, secret: given }: DrawSpec) =>
    Promise.resolve(bytes(`${command} of ${files.map(({ path }) => path).join()} by ${given}`));
  const loadTaskFiles = ({ role }: { role: string }) =>
    Promise.resolve(
      role === 'evaluator'
        ? [{ path: 'make.mjs', content: bytes('make') }]
        : [
            { path: 'corpus.txt', content: bytes('public') },
            { path: 'train.mjs', content: bytes('train'), executable: true },
          ],
    );
  return { scoring: { hmac, evaluator: { draw } }, store: { task: { loadTaskFiles } } } as unknown as Parameters<
    typeof loadStageFiles
  >[0];
}
const [here, there] = [installation('a'), installation('b')];

test('a task that draws nothing has no secret, and the stage and immutable files of its workspace', async () => {
  expect(taskSecret(here, TASK)).toBeUndefined();
  expect(stageOf(here, { stageHash: 'abc', task: TASK })).toBe('abc');
  const texts = async (mutablePaths: string[], more: { stagesMutable?: boolean } = {}): Promise<string[]> =>
    (await loadStageFiles(here, { hash: 'h', task: TASK, mutablePaths, ...more })).map(({ content }) =>
      Buffer.from(content).toString(),
    );
  expect(await texts([])).toEqual(['public', 'train']);
  expect(await texts(['train.mjs'])).toEqual(['public']);
  // A host may have this stage already, with both files.
  expect(await texts(['train.mjs'], { stagesMutable: true })).toEqual(['public', 'train']);
});

test('a drawn file replaces the public one, by a secret of the task and the installation alone', async () => {
  const task = drawing('lm');
  const secret = taskSecret(here, task) ?? '';
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  // Another version of the task draws the same: its scores are of the same language.
  expect(taskSecret(here, { ...task, description: 'another' })).toBe(secret);
  expect(new Set([secret, taskSecret(there, task), taskSecret(here, drawing('other'))]).size).toBe(3);
  const files = await loadStageFiles(here, { hash: 'h', task, mutablePaths: [] });
  expect(files.map(({ path, content, executable }) => [path, Buffer.from(content).toString(), executable])).toEqual([
    ['corpus.txt', `make of make.mjs by ${secret}`, undefined],
    ['train.mjs', 'train', true],
  ]);
});

test('installations that share a host do not share a stage, whose name does not show the secret', () => {
  const version = { stageHash: 'abc', task: drawing('lm') };
  const [ours, theirs] = [stageOf(here, version), stageOf(there, version)];
  expect(ours).toMatch(/^abc_[0-9a-f]{16}$/);
  expect(theirs).not.toBe(ours);
  expect(taskSecret(here, version.task)).not.toContain(ours.slice(4));
});
