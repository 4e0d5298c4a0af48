import { appendFile, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { copyWorkspace, evaluate, mutableFiles, TASK, train } from '../../../bench/tasks/nano-lm/trial.ts';
import { Task } from '../../../domain/task/task.ts';

const ENTROPY = 0.7210116451432714;
let directory: string;
let run: Awaited<ReturnType<typeof train>>;
const task = Task.parse(parse(await readFile(join(TASK, 'task.yaml'), 'utf8')));

beforeAll(async () => {
  directory = await copyWorkspace();
  run = await train(directory, { seed: 3, budgetSeconds: 0.8 });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('training', () => {
  test('ends by itself and leaves parameters', async () => {
    expect(run).toMatchObject({ code: 0, errors: '' });
    expect((await stat(join(directory, 'model.bin'))).size).toBeGreaterThan(1000);
  });

  test('prints a falling loss in lines that the task can parse', () => {
    const pattern = new RegExp(task.progress?.pattern ?? '', 'm');
    const lines = run.output.trim().split('\n');
    const points = lines.map((line) => pattern.exec(line)?.groups);
    expect(points.length).toBeGreaterThan(10);
    expect(points.every((point) => Number(point?.step) > 0 && Number.isFinite(Number(point?.value)))).toBe(true);
    expect(Number(points[0]?.value)).toBeGreaterThan(4);
    expect(Number(points.at(-1)?.value)).toBeLessThan(3.5);
  });

  test('fails with a message once the loss is no longer finite', async () => {
    const source = (await mutableFiles())['train.mjs'] ?? '';
    const broken = await copyWorkspace({
      'train.mjs': source.replace(/^(const LEARNING_RATE = ).*;$/m, '$1Number.NaN;'),
    });
    const { code, errors } = await train(broken, { budgetSeconds: 1 });
    await rm(broken, { recursive: true });
    expect(code).toBe(1);
    expect(errors).toContain('the loss is no longer finite at step');
  });
});

describe('a trained candidate', () => {
  test('scores between the entropy and the bits of the alphabet', async () => {
    const { code, score, errors, candidateErrors } = await evaluate(directory, { seed: 3 });
    expect({ code, errors, candidateErrors }).toEqual({ code: 0, errors: '', candidateErrors: '' });
    expect(score?.bpc).toBeGreaterThan(ENTROPY);
    expect(score?.bpc).toBeLessThan(3.5);
    expect(score?.excess).toBeCloseTo((score?.bpc ?? 0) - ENTROPY, 9);
    expect(Math.abs((score?.seen ?? 0) - (score?.bpc ?? 0))).toBeLessThan(0.1);
  });

  test('scores the same again on the same seed and differently on another', async () => {
    const scores = [];
    for (const seed of [3, 3, 4]) scores.push((await evaluate(directory, { seed })).score?.bpc);
    expect(scores[0]).toBe(scores[1]);
    expect(scores[0]).not.toBe(scores[2]);
  });

  test('may print without spoiling its answers', async () => {
    await appendFile(join(directory, 'model.mjs'), "\nconsole.log('chatter');\n");
    const { code, candidateErrors } = await evaluate(directory);
    expect(candidateErrors).toContain('chatter');
    expect(code).toBe(0);
  });
});

describe('the task', () => {
  test('has knobs that occur once in their file, with a value inside their range', async () => {
    const workspace = join(TASK, 'workspace');
    for (const knob of task.knobs) {
      const found = [
        ...(await readFile(join(workspace, knob.file), 'utf8')).matchAll(
          new RegExp(`^const ${knob.name} = (.*);$`, 'gm'),
        ),
      ];
      expect(found, knob.name).toHaveLength(1);
      const text = found[0]?.[1] ?? '';
      if (knob.type === 'choice') expect(knob.values.map(String), knob.name).toContain(text.replaceAll("'", ''));
      else {
        expect(Number(text), knob.name).toBeGreaterThanOrEqual(knob.range[0]);
        expect(Number(text), knob.name).toBeLessThanOrEqual(knob.range[1]);
      }
    }
  });
});
