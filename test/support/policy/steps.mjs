// Steps: one for each key, published whole or not at all. A finished step is answered from disk, and requests for a
// step at work share it.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, open, rename, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkBatch } from './batch.mjs';
import { learn } from './learn.mjs';
import { sha256 } from './model.mjs';
import { parse, Refusal } from './strict.mjs';

const FILES = ['policy.json', 'rng.json'];
const RESULT = 'result.json';

export function createSteps(model, { out, hold }) {
  const atWork = new Map();
  return {
    /** result.json's content. */
    async answer(body) {
      const asked = parse(body);
      const named = asked !== null && typeof asked === 'object' && 'batch' in asked;
      if (named && !(isAbsolute(asked.batch) && isAbsolute(asked.out ?? '')))
        throw new Refusal('range', 'batch', 'absolute paths of batch and out', JSON.stringify(asked));
      if (named && !existsSync(asked.batch)) throw new Refusal('empty', 'batch', 'a file', 'none there');
      const batch = named ? parse(readFileSync(asked.batch, 'utf8')) : asked;
      const folder = named ? asked.out : out;
      checkBatch(batch, model);
      const hash = hashOf(batch);
      const key = `${folder} ${batch.stepKey} ${hash}`;
      const work =
        atWork.get(key) ?? fromDisk(folder, batch.stepKey, hash) ?? step(model, { batch, folder, hash, hold });
      atWork.set(key, work);
      try {
        return await work;
      } finally {
        atWork.delete(key);
      }
    },
  };
}

/** The hash of a batch without the paths of its folders. */
const hashOf = (batch) =>
  sha256(JSON.stringify(batch, (name, value) => (value?.path && value.sha256 ? { sha256: value.sha256 } : value)));

function fromDisk(out, stepKey, hash) {
  const path = join(out, stepKey, RESULT);
  if (!existsSync(path)) return null;
  const done = JSON.parse(readFileSync(path, 'utf8'));
  if (done.batch === hash) return Promise.resolve(done);
  const expected = `a new key, since this key belongs to the finished batch ${done.batch}`;
  throw new Refusal('other-batch', 'stepKey', expected, `the batch ${hash}`);
}

/** Content of a checkpoint. Throws Refusal if its bytes do not have the hash. */
export function readCheckpoint({ path, sha256: wanted }, model) {
  if (!existsSync(join(path, RESULT)))
    throw new Refusal('wrong-parent', 'parent.path', `a checkpoint with ${RESULT}`, path);
  const there = hashOfFiles(Object.fromEntries(FILES.map((name) => [name, sha256(readFileSync(join(path, name)))])));
  if (there !== wanted) throw new Refusal('wrong-parent', 'parent.sha256', wanted, there);
  const { base } = JSON.parse(readFileSync(join(path, RESULT), 'utf8'));
  if (base !== model.base.sha256)
    throw new Refusal('wrong-parent', 'parent.path', `a checkpoint of the base ${model.base.sha256}`, base);
  const read = (name) => JSON.parse(readFileSync(join(path, name), 'utf8'));
  return { logits: read('policy.json').logits, step: read('rng.json').step };
}

const hashOfFiles = (files) =>
  sha256(
    Object.entries(files)
      .map(([name, hash]) => `${name} ${hash}\n`)
      .sort()
      .join(''),
  );

async function step(model, { batch, folder, hash, hold }) {
  const began = performance.now();
  const fresh = { logits: model.names.get('base').logits, step: 0 };
  const parent = batch.parent === null ? fresh : readCheckpoint(batch.parent, model);
  const reference = batch.reference === undefined ? fresh : readCheckpoint(batch.reference, model);
  const { logits, metrics } = learn({ logits: parent.logits, reference: reference.logits }, batch, model);
  const content = {
    'policy.json': `${JSON.stringify({ logits })}\n`,
    'rng.json': `${JSON.stringify({ seed: batch.seed, step: parent.step + 1 })}\n`,
  };
  const files = Object.fromEntries(Object.entries(content).map(([name, text]) => [name, sha256(text)]));
  if (hold && existsSync(hold)) await writeFile(`${hold}.here`, batch.stepKey);
  while (hold && existsSync(hold)) await sleep(20);
  const seconds = (performance.now() - began) / 1000;
  const result = {
    version: 1,
    stepKey: batch.stepKey,
    batch: hash,
    base: batch.base.sha256,
    parent: batch.parent?.sha256 ?? null,
    algorithm: batch.algorithm.name,
    step: parent.step + 1,
    metrics,
    versions: { fake: 1, threads: 1, processes: 1 },
    checkpoint: hashOfFiles(files),
    files,
    seconds: { load: 0, forward: seconds, backward: 0, optimizer: 0, save: 0 },
    skipped: skipped(batch),
  };
  await publish(folder, batch.stepKey, { ...content, [RESULT]: `${JSON.stringify(result)}\n` });
  return fromDisk(folder, batch.stepKey, hash);
}

function skipped({ rollouts, algorithm }) {
  const named = (reason, isLeftOut) => rollouts.filter(isLeftOut).map(({ id }) => ({ id, reason }));
  return [
    ...named('no token to learn from', ({ lossMask }) => !lossMask.includes(1)),
    ...(algorithm.name === 'sdpo' ? named('no teacher', (one) => one.teacherPromptIds === null) : []),
  ];
}

async function publish(out, name, files) {
  await mkdir(out, { recursive: true });
  const temporary = await mkdtemp(join(out, '.tmp-'));
  try {
    for (const [file, text] of Object.entries(files)) await writeFile(join(temporary, file), text, { flush: true });
    await sync(temporary);
    await rename(temporary, join(out, name)).catch((error) => {
      // Another process was first.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    await sync(out);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function sync(folder) {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}
