import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { readResearch, readResearches } from '../../db/reads/read-research.ts';
import { readTaskOf } from '../../db/reads/read-trial.ts';
import { blobs, researches, taskFiles, taskVersions } from '../../db/schema.ts';
import type { Task } from '../../domain/task/task.ts';
import { insertResearch, TASK } from '../cli/support/lineage.ts';
import { useDatabase } from './support.ts';

const bench = useDatabase();

const yamlOf = (search: string): string => `name: toy
description: a toy
mutable: [train.mjs]
run: { command: node train.mjs, budget: { seconds: 1 } }
metric: { name: loss, direction: minimize }
progress: { pattern: x }
evaluator: { type: none }
${search}`;

/** A version from before early abort: `search.abort` had the default `none`, and the key `abort` did not exist. */
async function insertOld(hash: string, yaml: string, change: Partial<Task> = {}): Promise<string> {
  const { abort, ...task } = { ...TASK, ...change };
  expect(abort.errorTarget).toBe(0.02);
  const old = { ...task, search: { ...task.search, abort: 'none' } } as unknown as Task;
  const hashes = { stageHash: 's', immutableHash: 'i', evaluatorHash: 'e', metricKey: 'm' };
  await bench.db
    .insert(taskVersions)
    .values({ hash, name: 'toy', task: old, yaml, ...hashes, mutablePaths: ['train.mjs'] });
  return hash;
}
const loaded = async (hash: string): Promise<Task> => (await bench.store.task.loadTaskVersion(hash)).task;

describe('a task version that an older version stored', () => {
  test('has the defaults of today', async () => {
    const { search, abort } = await loaded(await insertOld('silent', yamlOf('')));
    expect([search.abort, abort]).toEqual([undefined, TASK.abort]);
  });

  test('keeps a value that a person wrote, though it was a default then', async () => {
    const { search, abort } = await loaded(await insertOld('said', yamlOf('search: { abort: none }\n')));
    expect([search.abort, abort]).toEqual(['none', TASK.abort]);
  });

  test('runs and is scored with its hashed values, whatever the defaults are now', async () => {
    const was = {
      run: { ...TASK.run, graceSeconds: 99, resources: { ...TASK.run.resources, memoryMb: 99 } },
      setup: { commands: ['true'], timeoutSeconds: 99 },
      metric: { ...TASK.metric, minDelta: 0.5, format: 'json' as const },
      evaluator: { type: 'artefact' as const, command: 'node evaluate.mjs', files: 'judge', timeoutSeconds: 99 },
    };
    const task = await loaded(await insertOld('hashed', yamlOf('setup: { commands: ["true"] }\n'), was));
    expect(task).toEqual({ ...TASK, ...was, progress: task.progress, search: task.search });
    expect(task.search.abort).toBeUndefined();
  });

  test('has the limits of today if it had none, and all newer keys', async () => {
    const month = 30 * 86_400;
    const was = {
      setup: { commands: ['true'], timeoutSeconds: month },
      evaluator: { type: 'artefact' as const, command: 'node evaluate.mjs', files: 'judge', timeoutSeconds: month },
    };
    const task = await loaded(await insertOld('limits', yamlOf('llm: { deadlineSeconds: 7200 }\n'), was));
    expect(task).toMatchObject({
      setup: { timeoutSeconds: 86_400 },
      evaluator: { timeoutSeconds: 86_400 },
      abort: TASK.abort,
      llm: { ...TASK.llm, deadlineSeconds: 3600 },
    });
  });

  test('has the largest allowed numbers of today if its own are larger', async () => {
    const resources = { ...TASK.run.resources, diskMb: 9_999_999_999_999 };
    const run = { ...TASK.run, budget: { ...TASK.run.budget, seconds: 1e308 }, timeoutSeconds: 1e308, resources };
    const task = await loaded(await insertOld('largest', yamlOf('budget: { hours: 1e300 }\n'), { run }));
    expect(task).toMatchObject({
      run: { budget: { seconds: 2_592_000 }, timeoutSeconds: 2_592_000, resources: { diskMb: 16_777_216 } },
      budget: { hours: 1_000_000 },
    });
  });

  test('has the defaults of today for newer keys, even in hashed mappings', async () => {
    const { graceSeconds, ...run } = TASK.run;
    expect((await loaded(await insertOld('newer', yamlOf(''), { run: run as Task['run'] }))).run).toEqual({
      ...run,
      graceSeconds,
    });
  });

  test.each([
    ['no YAML', 'name: ['],
    ['no task any more', yamlOf('gone: 1\n')],
  ])('has all keys of today if its text is %s', async (why, yaml) => {
    const { search, abort } = await loaded(await insertOld(why, yaml));
    expect([search.abort, abort]).toEqual(['none', TASK.abort]);
  });

  const choice = (values: string): string =>
    `knobs: [{ file: train.mjs, name: ACT, type: choice, values: ${values} }]\n`;

  test('has the forms of the values in its text', async () => {
    const { knobs } = await loaded(await insertOld('forms', yamlOf(choice('[None, "nil", 1, 0.0]'))));
    expect(knobs).toEqual([
      {
        file: 'train.mjs',
        name: 'ACT',
        type: 'choice',
        values: [null, 'nil', 1, 0],
        form: { float: true, nullWord: 'None' },
      },
    ]);
  });

  test('has the original literals of its knobs, which decide what None means', async () => {
    const original = async (hash: string, text: string): Promise<string> => {
      const bytes = Buffer.from(text);
      await bench.db.insert(blobs).values({ hash: `text of ${hash}`, content: bytes });
      await insertOld(hash, yamlOf(choice('[None, gelu]')));
      const file = { role: 'workspace' as const, path: 'train.mjs', executable: false };
      await bench.db.insert(taskFiles).values({ ...file, taskHash: hash, blobHash: `text of ${hash}` });
      return hash;
    };
    const text = await original('text', "ACT = 'None'\n");
    expect((await loaded(text)).knobs).toMatchObject([{ values: ['None', 'gelu'], form: { original: "'None'" } }]);
    expect((await readTaskOf(bench.db, { taskHash: text })).knobs).toEqual((await loaded(text)).knobs);
    const word = await loaded(await original('word', 'ACT = null;\n'));
    expect(word.knobs).toMatchObject([{ values: [null, 'gelu'], form: { original: 'null' } }]);
    await insertResearch(bench.db, 'originals');
    await bench.db.update(researches).set({ taskHash: text }).where(eq(researches.id, 'originals'));
    for (const research of [
      await readResearch(bench.db, { researchId: 'originals' }),
      (await readResearches(bench.db)).sound.find(({ id }) => id === 'originals'),
    ])
      expect(research?.task.knobs).toEqual((await loaded(text)).knobs);
  });

  test('keeps the forms with which it was stored', async () => {
    const form = { original: "'None'", nullWord: 'None' };
    const knobs: Task['knobs'] = [{ file: 'train.mjs', name: 'ACT', type: 'choice', values: ['None', 'relu'] }];
    const stored = knobs.map((knob) => ({ ...knob, form }));
    const task = await loaded(await insertOld('with-forms', yamlOf(choice('[None, relu]')), { knobs: stored }));
    expect(task.knobs).toEqual(stored);
  });

  test('is refused by its name if it is damaged', async () => {
    await insertOld('damaged', yamlOf(''));
    await bench.db
      .update(taskVersions)
      .set({ task: {} as Task })
      .where(eq(taskVersions.hash, 'damaged'));
    await expect(loaded('damaged')).rejects.toThrow(/^task_versions damaged is damaged: expected a task .*, got {};/);
  });

  test('is read in the same way by the command line and the page', async () => {
    await insertResearch(bench.db, 'old');
    await bench.db.update(researches).set({ taskHash: await insertOld('shown', yamlOf('')) });
    expect((await readResearch(bench.db, { researchId: 'old' }))?.task.abort).toEqual(TASK.abort);
  });
});

test('the originals of a task are the mutable files of its workspace, with their modes', async () => {
  const file = (path: string, executable = false) => ({ path, content: Buffer.from(`text of ${path}`), executable });
  const hashes = { stageHash: 's', immutableHash: 'i', evaluatorHash: 'e', metricKey: 'm' };
  const workspace = [file('data.txt'), file('deep/tool.sh', true), file('train.mjs')];
  const mutablePaths = ['train.mjs', 'deep/tool.sh'];
  const version = { ...hashes, hash: 'with-originals', task: TASK, yaml: '', prompt: null, mutablePaths, workspace };
  // A file of the evaluator with the same name.
  await bench.store.task.saveTaskVersion({ ...version, evaluatorFiles: [file('train.mjs')] });
  expect(await bench.store.task.loadOriginals('with-originals')).toEqual([
    file('deep/tool.sh', true),
    file('train.mjs'),
  ]);
  expect(await bench.store.task.loadOriginals('unknown')).toEqual([]);
});
