import { expect, test } from 'vitest';
import { readTaskOrVersion } from '../../../activities/task/read-task-or-version.ts';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { versionOf } from '../../../activities/task/read-task.ts';
import { loadTask } from '../../../tasks/load.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();
const depsOf = () =>
  ({
    store: bench.store,
    tasks: { loadTask: () => Promise.reject(new Error('Expected no folder to be read')) },
  }) as unknown as ActivityDeps;

test('a stored version is read by its hash as its folder was, though the folder is gone', async () => {
  const loaded = await loadTask('tasks/lr-knob');
  await bench.store.task.saveTaskVersion(versionOf(loaded));
  const { folder, positionOf, ...found } = await readTaskOrVersion(depsOf(), loaded.hash);
  expect([folder, positionOf(['run'])]).toEqual(['', null]);
  const asText = (files: { path: string; content: Uint8Array }[]) =>
    files.map(({ path, content }) => [path, Buffer.from(content).toString()]).sort();
  expect(asText(found.workspace)).toEqual(asText(loaded.workspace));
  expect(asText(found.evaluatorFiles)).toEqual(asText(loaded.evaluatorFiles));
  expect(found).toMatchObject({
    hash: loaded.hash,
    task: loaded.task,
    prompt: loaded.prompt,
    mutablePaths: loaded.mutablePaths,
    immutableHash: loaded.immutableHash,
    metricKey: loaded.metricKey,
  });
});

test('a hash that no research has stored is refused', async () => {
  await expect(readTaskOrVersion(depsOf(), 'f'.repeat(64))).rejects.toThrow(
    /^task: expected the hash of a task version in this database, got f{64}$/,
  );
});
