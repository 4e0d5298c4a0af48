import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../config/paths.ts';
import { AXES } from '../domain/search/axes.ts';
import { KEEP_POLICIES } from '../domain/search/keep.ts';

// The rules under test need no types. Rules that need types would load all sources.
const eslint = new ESLint({ cwd: packageRoot(), overrideConfig: [tseslint.configs.disableTypeChecked] });

/** Names of the methods of all axes, without `none`. */
const METHODS = Object.values(AXES)
  .flatMap((table) => Object.keys(table))
  .filter((name) => name !== 'none');

/** Messages of eslint about a line of code in a file of that folder. */
async function messagesOf(folder: string, code: string): Promise<string[]> {
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

describe('code whose result differs between two runs', () => {
  test.each(refusals)('is refused in $folder/: $code', async ({ folder, code, why }) => {
    expect(await messagesOf(folder, code)).toContainEqual(expect.stringContaining(why));
  });

  test.each([
    'export const a = (12).toLocaleString("en");',
    'export const a = "a".localeCompare("b", "en");',
    'export const a = new Intl.NumberFormat("en");',
    'export const a = (ms: number) => new Date(ms);',
    'export const a = (seed: number) => Math.sqrt(seed);',
  ])('does not include code with the same result everywhere: %s', async (code) => {
    expect([await messagesOf('domain', code), await messagesOf('workflows', code)]).toEqual([[], []]);
  });

  test('is allowed in folders that touch the world', async () => {
    const code = "export const a = [Date.now(), Math.random(), new WeakRef({}), 'a'.localeCompare('b')];";
    expect([await messagesOf('infra', code), await messagesOf('activities', code)]).toEqual([[], []]);
  });
});

describe('a comparison with the name of a method', () => {
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
  ])('is refused outside the folder of the axis: %s', async (code) => {
    for (const folder of ['cli', 'activities', 'workflows', 'domain'])
      expect(await messagesOf(folder, code)).toContainEqual(expect.stringContaining(MESSAGE));
    expect(await messagesOf('domain/abort', code)).toEqual([]);
  });
});

test("the driver's own databases are refused outside of db/connect.ts", async () => {
  const code = "import { drizzle } from 'drizzle-orm/node-postgres';\nexport const a = drizzle;";
  for (const folder of ['db', 'cli', 'dashboard', 'workers', 'test'])
    expect(await messagesOf(folder, code)).toEqual([expect.stringContaining('use connect() of db/connect.ts')]);
});
