import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { homePaths, packageRoot } from '../../config/paths.ts';
import { CATALOG } from '../../cli/catalog.ts';
import { QUEUES, SIGNALS, UPDATES } from '../../domain/messages.ts';
import { EVENTS } from '../../domain/event/kinds.ts';
import { JOB_SHAPES } from '../../domain/job.ts';
import { PHASES } from '../../domain/research/phase.ts';
import { TRIAL_KINDS, TRIAL_STATUSES, VERDICTS } from '../../domain/trial.ts';
import { pages } from './pages.ts';
import { blocksOf, codeOf, readDoc, rowsOf, wordsIn } from './tables.ts';

const steering = await readDoc('docs/guides/steering.md');
const operating = await readDoc('docs/guides/operating.md');
const firstsOf = async (path: string): Promise<Set<string | undefined>> =>
  new Set(rowsOf(await readDoc(path)).map(([first]) => codeOf(first)));

test.each<[string, string, readonly string[]]>([
  ['docs/reference/states.md', 'phase', PHASES],
  ['docs/reference/states.md', 'outcome', TRIAL_STATUSES],
  ['docs/reference/states.md', 'kind of trial', TRIAL_KINDS],
  ['docs/concepts/verdicts.md', 'verdict', VERDICTS],
  [
    'docs/guides/operating/own-servers.md',
    'queue',
    [QUEUES.main, QUEUES.propose, QUEUES.monitor, QUEUES.score, QUEUES.fleet('local')],
  ],
])('%s has a row for every %s', async (path, _, names) => {
  const firsts = await firstsOf(path);
  for (const name of names) expect(firsts).toContain(name);
});

test('docs/reference/states.md draws every phase that is set', async () => {
  const [research = ''] = blocksOf(await readDoc('docs/reference/states.md'), 'mermaid');
  for (const phase of PHASES.filter((name) => name !== 'failed')) expect(research).toContain(`--> ${phase}:`);
});

test('docs/reference/events.md has a row for every kind of event, with its level', async () => {
  const stated = rowsOf(await readDoc('docs/reference/events.md')).flatMap(([first, level]) => {
    const kind = codeOf(first);
    return kind !== undefined && Object.hasOwn(EVENTS, kind) ? [[kind, codeOf(level)]] : [];
  });
  expect(stated).toEqual(Object.entries(EVENTS).map(([kind, { level }]) => [kind, level]));
});

test('docs/guides/steering.md names every message that a person may send', () => {
  const { trialEnded, ...signals } = SIGNALS;
  expect(steering).not.toContain(trialEnded);
  for (const name of [...Object.values(signals), ...Object.values(UPDATES)]) expect(steering).toContain(name);
});

test('docs/guides/operating.md names every path of the home that the code joins', () => {
  const args = ['grep', '-ohE', "join\\(([a-zA-Z]+\\.)?home, '[a-z][^']*'", '--'];
  const folders = ['activities', 'cli', 'config', 'infra', 'workers'].map((folder) => `${folder}/*.ts`);
  const joined = execFileSync('git', [...args, ...folders], { cwd: packageRoot(), encoding: 'utf8' });
  const names = new Set([...joined.matchAll(/'(.*)'/g)].map(([, name = '']) => name));
  // A file of 0.2, which `up` removes.
  expect(names.delete('ballast')).toBe(true);
  for (const path of Object.values(homePaths(''))) expect(names).toContain(path.split('/')[0]);
  expect([...names].filter((name) => !new RegExp(`\`${name}/?\``).test(operating))).toEqual([]);
  expect(operating).toContain('`up.log`');
});

/** Import rules: each folder, the others it may import values from, and those it may import only types from. */
function importRules(): [folder: string, values: string, types: string][] {
  const { forbidden } = createRequire(import.meta.url)(join(packageRoot(), '.dependency-cruiser.cjs')) as {
    forbidden: { name: string; to: { pathNot?: string } }[];
  };
  const allowed = (rule: string): string[] => {
    const { pathNot = '' } = forbidden.find(({ name }) => name === rule)?.to ?? {};
    return /^\^\((.*)\)\/$/.exec(pathNot)?.[1]?.split('|') ?? [];
  };
  const listed = (names: string[]): string => names.join(', ') || '–';
  return forbidden.flatMap(({ name }) => {
    const [, folder = ''] = /^(.*)-values$/.exec(name) ?? [];
    if (folder === '' || !existsSync(join(packageRoot(), folder))) return [];
    const [values, types] = [allowed(`${folder}-values`), allowed(`${folder}-types`)];
    const others = values.filter((other) => other !== folder);
    return [[`\`${folder}/\``, listed(others), listed(types.filter((other) => !values.includes(other)))]];
  });
}

test('every document that the code names exists', () => {
  const args = ['grep', '-ohE', '\\bdocs/[A-Za-z0-9/_-]+\\.md', '--', '*.ts', '*.tsx', '*.mjs', '*.py', '*.yaml'];
  const named = execFileSync('git', args, { cwd: packageRoot(), encoding: 'utf8' }).trim().split('\n');
  expect(named).toContain('docs/guides/tasks.md');
  expect([...new Set(named)].filter((path) => !existsSync(join(packageRoot(), path)))).toEqual([]);
});

const architecture = await readDoc('ARCHITECTURE.md');

describe('ARCHITECTURE.md', () => {
  const stated = rowsOf(architecture);

  test('names only paths that exist', () => {
    const words = [...architecture.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
    const paths = words.filter(
      (word) => /^[\w./-]+$/.test(word) && (word.includes('/') || /\.(ts|cjs|md)$/.test(word)),
    );
    expect(paths.length).toBeGreaterThan(50);
    for (const path of paths) expect(existsSync(join(packageRoot(), path)), path).toBe(true);
  });

  test('has a row for every folder under a rule of imports, with the folders that it may import', () => {
    const folders = stated.filter(([first]) => /^`\w+\/`$/.test(first ?? ''));
    expect(folders.map(([folder, , values, types]) => [folder, values, types]).sort()).toEqual(importRules().sort());
  });

  test('names every top-level folder that git tracks', () => {
    const tracked = execFileSync('git', ['ls-files'], { cwd: packageRoot(), encoding: 'utf8', maxBuffer: 2 ** 26 });
    const folders = new Set([...tracked.matchAll(/^([^/\n]+)\//gm)].map(([, folder = '']) => `\`${folder}/\``));
    expect(folders).toContain('`domain/`');
    expect([...folders].filter((folder) => !architecture.includes(folder))).toEqual([]);
  });

  test('has no cell of a table with more than 40 words', () => {
    expect(stated.flat().filter((cell) => wordsIn(cell) > 40)).toEqual([]);
  });

  test('draws every outcome, a slot, and every verdict', () => {
    const [trial = '', slot = '', gate = '', ...more] = blocksOf(architecture, 'mermaid');
    expect(more).toEqual([]);
    for (const status of TRIAL_STATUSES) expect(trial).toContain(`--> ${status}:`);
    expect(slot).toContain('--> leased:');
    for (const verdict of VERDICTS) expect(gate).toContain(`(${verdict})`);
  });

  test('has every kind of job in a row of its own, with its shape', () => {
    for (const [kind, shape] of Object.entries(JOB_SHAPES))
      expect(stated.find(([first]) => codeOf(first) === kind)?.[1]).toBe(`\`${shape}\``);
  });
});

describe.each(await pages())('%s', (path) => {
  test('calls only commands that perpetua has', async () => {
    const called = [...(await readDoc(path)).matchAll(/(?:`|npx )perpetua ([a-z]+)/g)].map((match) => match[1]);
    const commands = CATALOG.map(({ name }) => name);
    for (const name of called) expect(commands).toContain(name);
  });

  test('links to files and headings that exist', async () => {
    const links = [...(await readDoc(path)).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
    for (const [, file = '', heading] of links) {
      const target = file === '' ? path : join(dirname(path), file);
      expect(existsSync(join(packageRoot(), target)), `${path} → ${target}`).toBe(true);
      if (heading === undefined) continue;
      const headings = [...(await readDoc(target)).matchAll(/^#+ (.*)$/gm)].map((match) => slugOf(match[1] ?? ''));
      expect(headings, `${path} → ${target}`).toContain(heading);
    }
  });
});

const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
