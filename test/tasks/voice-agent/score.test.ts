import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { artefactOf, run, score, TASK } from './agent.ts';

const EXPLOITS = join(TASK, 'exploits');
const baseline = await score(await artefactOf({}));
const BY_HAND = {
  neighbours: 1,
  threshold: 0.2,
  examples: 200,
  readback: 'each',
  greeting: 'none',
  ask: 3,
  order: 'name-last',
};

test('the unmodified version is scored near .147, the same again on the same seed', async () => {
  expect(baseline.code).toBe(0);
  const { success, booking, complaint, edge } = baseline.score ?? expect.unreachable();
  expect(Math.abs(success - 0.147)).toBeLessThan(0.02);
  expect(success).toBeCloseTo((booking + complaint + edge) / 3, 12);
  expect(await score(await artefactOf({}))).toEqual(baseline);
  expect((await score(await artefactOf({}), 2)).score?.success).not.toBe(success);
});

test('examples by hand reach the value of the README, and a thousand further words cost half of it', async () => {
  const prompt = await readFile('test/tasks/voice-agent/by-hand.txt', 'utf8');
  const success = async (text: string) =>
    (await score(await artefactOf({ prompt: text, settings: BY_HAND }))).score?.success ?? 0;
  expect(await success(prompt)).toBeGreaterThan(0.88);
  expect(await success(`${'be kind to all callers\n'.repeat(200)}${prompt}`)).toBeLessThan(0.55);
});

test('settings alone more than double the score of the unmodified version', async () => {
  const settings = { ...BY_HAND, examples: 12, threshold: 0.25 };
  expect((await score(await artefactOf({ settings }))).score?.success).toBeGreaterThan(0.33);
});

test.each(await readdir(EXPLOITS))('the exploit %s gains nothing', async (id) => {
  const files: Record<string, string> = {};
  for (const path of await readdir(join(EXPLOITS, id))) files[path] = await readFile(join(EXPLOITS, id, path), 'utf8');
  const { code, reason, artefact } = await run(files);
  // The evaluator checks everything itself, so it also gets what the run refuses.
  const prompt = files['prompt.txt'] ?? (await readFile(join(TASK, 'workspace/prompt.txt'), 'utf8'));
  const settings = files['settings.yaml'] ?? (await readFile(join(TASK, 'workspace/settings.yaml'), 'utf8'));
  const judged = await score(artefact ?? JSON.stringify({ prompt, settings }));
  if (code === 0) expect(judged.score?.success).toBeLessThan(baseline.score?.success ?? 0);
  else expect([code, judged.code, judged.reason]).toEqual([1, 3, reason]);
});

describe('the evaluator refuses as the fault of the candidate', () => {
  test.each([
    ['no JSON', 'NaN'],
    ['null', 'null'],
    ['a list', '[]'],
    ['deep nesting', '['.repeat(100_000)],
    ['numbers in place of texts', '{"prompt": 1, "settings": 2}'],
    ['no settings', '{"prompt": ""}'],
    ['empty settings', '{"prompt": "", "settings": ""}'],
  ])('%s', async (_, artefact) => {
    const { code, reason, score: none } = await score(artefact);
    expect([code, none, reason]).toEqual([3, undefined, expect.stringMatching(/^expected /)]);
  });

  test.each([
    ['a setting twice', 'greeting: short\ngreeting: none', 'expected one line for each of'],
    ['an unknown setting', 'toString: 1', 'expected one line for each of'],
    ['a threshold that is no number', 'threshold: NaN', 'to be a number from 0 to 1'],
    ['a hexadecimal number', 'examples: 0x10', 'to be a whole number from 1 to 200'],
    ['half an example', 'examples: 1.5', 'to be a whole number from 1 to 200'],
    ['an unknown choice', 'order: random', 'to be one of name-first'],
  ])('%s', async (_, lines, reason) => {
    const names = lines.split('\n').map((line) => line.split(':')[0]);
    const { settings } = JSON.parse(await artefactOf({})) as { settings: string };
    const kept = settings.split('\n').filter((line) => !names.includes(line.split(':')[0] ?? ''));
    const judged = await score(JSON.stringify({ prompt: '', settings: [...kept, lines].join('\n') }));
    expect([judged.code, judged.reason]).toEqual([3, expect.stringContaining(reason)]);
  });
});

test('no prompt at all is scored, and serves hardly any call', async () => {
  expect((await score(await artefactOf({ prompt: '' }))).score?.success).toBeLessThan(0.05);
});
