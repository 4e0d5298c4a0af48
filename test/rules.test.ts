import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../config/paths.ts';
import { AXES } from '../domain/search/axes.ts';
import { KEEP_POLICIES } from '../domain/search/keep.ts';

// Rules that need types would load all of the sources, and none of these does.
const eslint = new ESLint({ cwd: packageRoot(), overrideConfig: [tseslint.configs.disableTypeChecked] });

/** Every method that is told by its name alone. */
const METHODS = Object.values(AXES)
  .flatMap((table) => Object.keys(table))
  .filter((name) => name !== 'none');

/** What eslint says of a line of code in a file of that folder. */
async function said(folder: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(`${code}\n`, { filePath: `${folder}/snippet.ts` });
  return (result?.messages ?? []).map(({ message }) => message);
}

const COLLECTED = 'when memory is collected differs between two runs';
const LOCALE = "name the locale: the machine's own differs";
const PURE = 'domain/ and view/ touch nothing: pass in what they need';
const WORLD = 'a replay would find another world: ask an activity';

const BOTH: [string, string][] = [
  ['export const a = new WeakRef({});', COLLECTED],
  ['export const a = new globalThis.WeakRef({});', COLLECTED],
  ['export const a = new FinalizationRegistry(() => undefined);', COLLECTED],
  ['export const a = (12).toLocaleString();', LOCALE],
  ['export const a = (12).toLocaleString(undefined, {});', LOCALE],
  ['export const a = (time: Date) => time.toLocaleDateString();', LOCALE],
  ['export const a = (time: Date) => time.toLocaleTimeString();', LOCALE],
  ["export const a = 'I'.toLocaleLowerCase();", LOCALE],
  ["export const a = ['a', 'b'].sort((one, other) => one.localeCompare(other));", LOCALE],
  ["export const a = 'a'.localeCompare('b', undefined, { numeric: true });", LOCALE],
  ['export const a = new Intl.NumberFormat();', LOCALE],
  ['export const a = Intl.Collator();', LOCALE],
  ['export const a = new Intl.DateTimeFormat(undefined, {});', LOCALE],
];
const DOMAIN: [string, string][] = [
  ['export const a = Date.now();', 'pass the time in'],
  ['export const a = new Date();', 'pass the time in'],
  ['export const a = Date();', 'pass the time in'],
  ['export const a = Math.random();', 'pass the seed in'],
  ['export const a = process.pid;', PURE],
  ['export const a = process.env;', 'the environment is read once, in config/'],
  ["console.log('a');", PURE],
  ['setTimeout(() => undefined, 1);', PURE],
  ['setInterval(() => undefined, 1);', PURE],
  ['setImmediate(() => undefined);', PURE],
  ['queueMicrotask(() => undefined);', PURE],
  ["export const a = fetch('http://localhost');", PURE],
  ['export const a = crypto.randomUUID();', PURE],
  ['export const a = performance.now();', PURE],
  ["export const a = Buffer.from('a');", PURE],
];
const WORKFLOWS: [string, string][] = [
  ['export const a = process.pid;', WORLD],
  ['export const a = process.env;', 'the environment is read once, in config/'],
  ["export const a = fetch('http://localhost');", WORLD],
  ['export const a = globalThis.crypto.randomUUID();', WORLD],
  ['export const a = performance.now();', WORLD],
  ['setInterval(() => undefined, 1);', 'it never ends in a history: loop over sleep()'],
];
const refusals = [
  ...['domain', 'view'].flatMap((folder) => [...BOTH, ...DOMAIN].map(([code, why]) => ({ folder, code, why }))),
  ...[...BOTH, ...WORKFLOWS].map(([code, why]) => ({ folder: 'workflows', code, why })),
];

describe('what differs between two runs of the same code', () => {
  test.each(refusals)('is refused in $folder/: $code', async ({ folder, code, why }) => {
    expect(await said(folder, code)).toContainEqual(expect.stringContaining(why));
  });

  test.each([
    'export const a = (12).toLocaleString("en");',
    'export const a = "a".localeCompare("b", "en");',
    'export const a = new Intl.NumberFormat("en");',
    'export const a = (ms: number) => new Date(ms);',
    'export const a = (seed: number) => Math.sqrt(seed);',
  ])('is not what is the same everywhere: %s', async (code) => {
    expect([await said('domain', code), await said('workflows', code)]).toEqual([[], []]);
  });

  test('is no concern of folders that touch the world', async () => {
    const code = "export const a = [Date.now(), Math.random(), new WeakRef({}), 'a'.localeCompare('b')];";
    expect([await said('infra', code), await said('activities', code)]).toEqual([[], []]);
  });
});

describe('a method is asked for a fact of its table, not for its name', () => {
  const MESSAGE = "ask the axis' table for the fact that matters";
  test.each([
    "export const a = (proposer: string) => proposer === 'llm';",
    "export const a = (search: { parent: string }) => 'lead' !== search.parent;",
    "export const a = (rule: string) => rule === 'matched-time';",
    "export const a = (report: { rule: string }) => report.rule !== 'asha';",
    "export const a = (abort: string) => { switch (abort) { case 'none': return 1; default: return 2; } };",
    "export const a = (rule: string) => ['median', 'asha'].includes(rule);",
    "export const a = (search: { context: string }) => ['none'].includes(search.context);",
    "export const a = (chosen: { name: string }) => ['none', 'random'].includes(chosen.name);",
    ...METHODS.map((name) => `export const a = (chosen: { name: string }) => chosen.name === '${name}';`),
    ...KEEP_POLICIES.map((name) => `export const a = (anything: string) => anything !== '${name}';`),
    ...KEEP_POLICIES.map((name) => `export const a = (anything: string) => ['${name}'].includes(anything);`),
  ])('outside the folder of the axis: %s', async (code) => {
    for (const folder of ['cli', 'activities', 'workflows', 'domain'])
      expect(await said(folder, code)).toContainEqual(expect.stringContaining(MESSAGE));
    expect(await said('domain/abort', code)).toEqual([]);
  });
});
