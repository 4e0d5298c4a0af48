import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { updates } from '../../../db/schema.ts';
import { runOn } from '../support/cli.ts';
import { type Lineage, sharedServer } from '../support/database.ts';
import { hashOf } from '../support/lineage.ts';
import { insertLearning, STEP_KEY } from '../../support/database/learning.ts';

const BASE = hashOf('base');
const LORA = {
  'adapter.safetensors': 'weights'.repeat(100_000),
  'adapter_config.json': '{"peft_type":"LORA"}\n',
  'optimizer.pt': 'moments',
  'rng.json': '{}',
};
const FULL = { 'model.safetensors': 'all weights', 'optimizer.pt': 'moments' };

let story: Lineage;
let home: string;

beforeAll(async () => {
  story = await sharedServer().open();
  await insertLearning(story.db, 'toy');
});
afterAll(() => story.close());
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'perpetua-export-'));
});
afterEach(() => rm(home, { recursive: true }));

/** Writes a checkpoint as the trainer leaves it, and stores the end of its update; returns the folder. */
async function publish(files: Record<string, string>): Promise<string> {
  const folder = join(home, 'checkpoints', STEP_KEY);
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const hashes = Object.entries(files).map(([name, content]) => [name, hashOf(content)] as const);
  const checkpoint = hashOf(hashes.map(([name, hash]) => `${name} ${hash}\n`).join(''));
  const result = { version: 1, stepKey: STEP_KEY, checkpoint, base: BASE, algorithm: 'grpo', step: 1 };
  await writeFile(join(folder, 'result.json'), JSON.stringify({ ...result, files: Object.fromEntries(hashes) }));
  await story.db.update(updates).set({ checkpoint, stepKey: STEP_KEY, state: 'done' });
  return folder;
}

const exported = (version: string, out: string, ...more: string[]) => {
  const env = { DATABASE_URL: story.url, TEMPORAL_ADDRESS: '127.0.0.1:1', PERPETUA_HOME: home };
  return runOn(story.url, ['policy', 'export', 'toy', version, '--out', join(home, out), ...more], { env });
};

describe('policy export', () => {
  it('writes an adapter under the names by which PEFT loads it, and names its base model', async () => {
    await publish(LORA);
    await mkdir(join(home, 'empty'));
    for (const out of ['new/adapter', 'empty']) {
      const { code, stdout, stderr } = await exported('1', out);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain(`for the base model whose files hash to ${BASE}`);
      const folder = join(home, out);
      expect((await readdir(folder)).sort()).toEqual([
        'adapter_config.json',
        'adapter_model.safetensors',
        'perpetua.json',
      ]);
      expect(await readFile(join(folder, 'adapter_model.safetensors'), 'utf8')).toBe(LORA['adapter.safetensors']);
      expect(JSON.parse(await readFile(join(folder, 'perpetua.json'), 'utf8'))).toMatchObject({
        research: 'toy',
        version: 1,
        base: BASE,
        algorithm: 'grpo',
      });
    }
  });

  it('writes the whole weights of a policy that has no adapter', async () => {
    await publish(FULL);
    const files = ['model.safetensors', 'perpetua.json'];
    expect((await exported('1', 'full', '--json')).json()).toMatchObject([{ workflowId: 'toy', version: 1, files }]);
    expect(await readFile(join(home, 'full', 'model.safetensors'), 'utf8')).toBe('all weights');
  });

  it('never overwrites a file', async () => {
    await publish(LORA);
    await mkdir(join(home, 'full'));
    await writeFile(join(home, 'full', 'mine'), '');
    await writeFile(join(home, 'file'), '');
    const full = await exported('1', 'full');
    expect([full.code, full.stderr]).toEqual([
      2,
      expect.stringContaining('to be a new or empty folder, it is not empty'),
    ]);
    const file = await exported('1', 'file');
    expect([file.code, file.stderr]).toEqual([2, expect.stringContaining('to be a folder; it is a file')]);
    expect(await readdir(join(home, 'full'))).toEqual(['mine']);
  });

  it.each(['adapter.safetensors', 'adapter_config.json'])('leaves nothing behind if %s was changed', async (name) => {
    await writeFile(join(await publish(LORA), name), 'other weights');
    const { code, stderr } = await exported('1', 'out');
    expect(code).toBe(1);
    expect(stderr).toContain(`${name} to hash to`);
    expect(await readdir(home)).toEqual(['checkpoints']);
  });

  it('refuses a checkpoint that differs from the stored one', async () => {
    const folder = await publish(LORA);
    const result = JSON.parse(await readFile(join(folder, 'result.json'), 'utf8')) as { files: Record<string, string> };
    result.files['adapter.safetensors'] = hashOf('other weights');
    await writeFile(join(folder, 'result.json'), JSON.stringify(result));
    await writeFile(join(folder, 'adapter.safetensors'), 'other weights');
    const { code, stderr } = await exported('1', 'out');
    expect(code).toBe(1);
    expect(stderr).toContain('it was changed');
  });

  it('says where to find a checkpoint that is missing', async () => {
    const { code, stderr } = await exported('1', 'out');
    expect(code).toBe(1);
    expect(stderr).toContain('in the PERPETUA_HOME of the worker that made it');
  });

  it('refuses a version whose weights were removed, and holds those of an exported version', async () => {
    await publish(LORA);
    expect((await exported('1', 'first')).code).toBe(0);
    const held = await story.db.select({ held: updates.held }).from(updates).orderBy(updates.k);
    expect(held[0]).toEqual({ held: true });
    await story.db.update(updates).set({ removedAt: new Date() });
    const { code, stderr } = await exported('1', 'second');
    await story.db.update(updates).set({ removedAt: null });
    expect(code).toBe(2);
    expect(stderr).toContain('those of version 1 were removed to make room');
  });

  it('removes the leftovers of a killed export to the same folder, and nothing else', async () => {
    await publish(LORA);
    const old = new Date(Date.now() - 7_200_000);
    for (const name of ['.out.0123456789ab', '.out.notours', '.other.0123456789ab', '.out.ffffffffffff'])
      await mkdir(join(home, name));
    for (const name of ['.out.0123456789ab', '.out.notours', '.other.0123456789ab'])
      await utimes(join(home, name), old, old);
    expect((await exported('1', 'out')).code).toBe(0);
    const kept = ['.other.0123456789ab', '.out.ffffffffffff', '.out.notours', 'checkpoints', 'out'];
    expect((await readdir(home)).sort()).toEqual(kept);
  });

  it('refuses the base model, and an update that made no version', async () => {
    expect((await exported('0', 'out')).code).toBe(2);
    await story.db.update(updates).set({ checkpoint: null, state: 'empty' });
    const { code, stderr } = await exported('2', 'out');
    expect(code).toBe(2);
    expect(stderr).toContain('update 2 made none (empty)');
  });
});
