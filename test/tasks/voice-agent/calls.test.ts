import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contradictions } from '../../../domain/task/contradictions.ts';
import { loadTask } from '../../../tasks/load.ts';
import { artefactOf, run, score, TASK } from './agent.ts';

/** Runs a program in the evaluator's folder. Returns what it prints as JSON. */
const inEvaluator = <T>(program: string): T =>
  JSON.parse(
    execFileSync('node', ['--input-type=module', '-e', program], { cwd: join(TASK, 'evaluator') }).toString(),
  ) as T;

test('an example is as like a text as the cosine of their weighted words', () => {
  const { like, value } = inEvaluator<{ like: number; value: number }>(`
    const { featuresOf } = await import('./agent.mjs');
    const [a, b] = [featuresOf('the soup, on Friday'), featuresOf('the fish on Monday')];
    let like = 0;
    for (const [word, weight] of a) like += weight * (b.get(word) ?? 0);
    console.log(JSON.stringify({ like, value: featuresOf('friday').get('<day>') }));`);
  // the .25, soup or fish 1, on .25, a day .6
  expect(like).toBeCloseTo((0.25 ** 2 * 2 + 0.6 ** 2) / (1 + 0.25 ** 2 * 2 + 0.6 ** 2), 12);
  expect(value).toBe(1);
});

test('the agent reads values of all fields, and which of them are denied', () => {
  const values = inEvaluator(`
    const { valuesOf } = await import('./agent.mjs');
    console.log(JSON.stringify([
      "for four people, at seven o'clock this Friday, for Baker",
      "at eight o'clock instead of at seven o'clock", 'not Monday but Tuesday', 'for two rather than for six people',
    ].map((text) => valuesOf(text).map(({ field, value, denied }) => [field, value, denied].join(' ')))));`);
  expect(values).toEqual([
    ['people four false', 'time seven false', 'day friday false', 'name baker false'],
    ['time eight false', 'time seven true'],
    ['day monday true', 'day tuesday false'],
    ['people two false', 'people six true'],
  ]);
});

test('an agent that understands everything serves nearly all calls, and fewer if it never reads values back', () => {
  const shares = inEvaluator<Record<string, number>[]>(`
    const { simulate } = await import('./simulate.mjs');
    const { RIGHT } = await import('./phrases.mjs');
    const settings = { ask: 3, order: 'name-last', greeting: 'none' };
    const shares = (readback) => Object.fromEntries(Object.entries(
      simulate({ words: 0, settings: { ...settings, readback }, decide: (_, intent) => RIGHT[intent] }, 1, 400),
    ).map(([kind, calls]) => [kind, calls.filter(({ isSuccess }) => isSuccess).length / calls.length]));
    console.log(JSON.stringify([shares('each'), shares('never')]));`);
  const [each, never] = shares;
  for (const share of Object.values(each ?? {})) expect(share).toBeGreaterThan(0.95);
  // Four values, 6 % of them misheard, and slips of callers.
  expect(never?.booking).toBeGreaterThan(0.65);
  expect(never?.booking).toBeLessThan(0.78);
});

test('no case that a proposer reads, and no sample call, has words of held-out callers', async () => {
  const { heldOut, open } = inEvaluator<{ heldOut: string[]; open: string[] }>(`
    const { PHRASES } = await import('./phrases.mjs');
    const parts = (kind) => Object.values(PHRASES).flatMap((ways) => ways[kind])
      .flatMap((way) => way.split(/\\{\\w+\\}|\\([^)]*\\)|,/))
      .map((part) => part.trim()).filter((part) => part.length > 8);
    console.log(JSON.stringify({ heldOut: parts('heldOut'), open: parts('open') }));`);
  const only = heldOut.filter((part) => !open.some((other) => other.includes(part)));
  expect(only.length).toBeGreaterThan(40);
  const quotesHeldOut = (text: string) => only.some((part) => text.includes(part));
  for (const settings of [{}, { threshold: 0, neighbours: 9 }, { unsure: 'transfer', threshold: 0.9 }]) {
    const { notes = [] } = (await score(await artefactOf({ settings }))).score ?? {};
    const shown = notes.filter((one) => one.heldOut !== true);
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.filter(({ text }) => quotesHeldOut(text))).toEqual([]);
    expect(notes.some((one) => one.heldOut === true && quotesHeldOut(one.text))).toBe(true);
  }
  expect(quotesHeldOut(await readFile(join(TASK, 'workspace/calls.txt'), 'utf8'))).toBe(false);
});

test('the sample calls are what make-calls.mjs writes, and the run has the agent of the evaluator', async () => {
  const calls = execFileSync('node', ['make-calls.mjs'], { cwd: join(TASK, 'evaluator') }).toString();
  expect(await readFile(join(TASK, 'workspace/calls.txt'), 'utf8')).toBe(calls);
  const agent = (folder: string) => readFile(join(TASK, folder, 'agent.mjs'), 'utf8');
  expect(await agent('workspace')).toBe(await agent('evaluator'));
});

test('a run leaves both texts as the artefact, and fails with the line of a mistake', async () => {
  const { code, artefact } = await run();
  expect([code, artefact]).toEqual([0, await artefactOf({})]);
  const wrong = await run({ 'prompt.txt': 'Be kind.\ncaller: hello\nagent: smile\n' });
  expect([wrong.code, wrong.artefact]).toEqual([1, null]);
  expect(wrong.reason).toMatch(/^line 3 of prompt.txt: expected agent: with one of collect/);
});

test('the task has no contradictions', async () => {
  expect(contradictions((await loadTask(TASK)).task)).toEqual([]);
});
